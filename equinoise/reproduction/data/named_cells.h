// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// Rows of a table with cells by the name of their column.
/// Errors: kInput with file and line for a missing column, a cell that is not a finite number, an
/// unknown choice.
class NamedCells {
 public:
  explicit NamedCells(const std::filesystem::path& path);

  bool next() { return reader_->next(); }
  std::string_view text(const std::string& column) const;
  double number(const std::string& column) const;
  /// The index of the cell among `values`.
  size_t choice(const std::string& column, const std::vector<std::string_view>& values) const;

 private:
  std::unique_ptr<RecordReader> reader_;
  std::map<std::string, size_t> places_;
};

}  // namespace equinoise
