// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "equinoise/data/codes/column_coding.h"

namespace equinoise {

/// The codes of one column's cells given as texts, made by the code that reads tables. It is the
/// reference for statements that code values, and counts tables that are read here. Sensitive:
/// cells are only ever arguments.
class CellCoder {
 public:
  /// `coding` outlives this. `decimal_mark`: '.' or ','.
  CellCoder(const Schema& schema, const ColumnCoding& coding, char decimal_mark = '.');
  ~CellCoder();
  CellCoder(CellCoder&&) noexcept;
  CellCoder(const CellCoder&) = delete;
  CellCoder& operator=(const CellCoder&) = delete;

  /// The code of a cell. A null cell is an empty view without data.
  int32_t code_of(std::string_view cell);

 private:
  struct Sink;

  const ColumnCoding* coding_;
  char decimal_mark_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace equinoise
