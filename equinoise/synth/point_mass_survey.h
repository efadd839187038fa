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

/// Columns in which most cells with a value have the same value, and that value shares its bin with
/// others. Synthetic rows would spread it over the bin: a column of zeros and a long tail would
/// lose its zeros. `columns`: with the cells of with_distribution_cells for bins that use them.
/// Columns with fewer than kTellingCells such cells are left out, and all columns if the schema has
/// `public_bins`, by which cells of one bin are one number. A sentence each, without the value. NOT
/// PRIVATE.
std::vector<std::string> undeclared_point_masses(const Dataset& dataset, const Schema& schema,
                                                 std::span<const ColumnCodes> columns);

/// The same for a table that is read block by block: for the majority values of the first block.
class PointMassSurvey {
 public:
  /// Keeps references to both arguments.
  PointMassSurvey(const Schema& schema, std::span<const ColumnCodes> columns)
      : schema_(schema), columns_(columns) {}

  void add(const Dataset& block);

  /// `facts`: counts of the effects of the schema's rules on all records.
  std::vector<std::string> sentences(const Dataset& facts) const;

 private:
  /// The cells of a column with a value, and the number of these equal to the first block's
  /// majority value, if there is one.
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
