// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/synth/column_codes.h"

namespace equinoise {

/// The columns of which most cells with a value count as the same one, if that shares its bin with
/// others, so that synthetic rows would spread it over the bin: a column of zeros and a long tail
/// loses its zeros. `columns`: with the cells of with_law_cells for bins where rows follow these.
/// Columns with fewer than kTellingCells such cells are left out, and all where the schema has
/// `public_bins`, by which cells of one bin are one number. A sentence each, which does not
/// say the value. NOT PRIVATE.
std::vector<std::string> undeclared_point_masses(const Dataset& dataset, const Schema& schema,
                                                 std::span<const ColumnCodes> columns);

/// The same of a table that is looked at block by block: of values that most cells of the first
/// block have.
class PointMassSurvey {
 public:
  /// Keeps references to all.
  PointMassSurvey(const Schema& schema, std::span<const ColumnCodes> columns)
      : schema_(schema), columns_(columns) {}

  void add(const Dataset& block);

  /// `facts`: what the schema's rules did to all records.
  std::vector<std::string> sentences(const Dataset& facts) const;

 private:
  /// The cells of a column that hold a value, and how many of these are the one that most of the
  /// first block are, if there is such a one.
  struct Majority {
    size_t column = 0;
    double value = 0;
    int64_t count = 0;
    int64_t num_present = 0;
  };

  const Schema& schema_;
  std::span<const ColumnCodes> columns_;
  std::vector<Majority> majorities_;
  bool has_begun_ = false;
};

}  // namespace equinoise
