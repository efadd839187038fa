// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/means/parity.h"

namespace equinoise {

/// A column of a table and who is in which group.
struct GroupedColumn {
  std::span<const double> values;        ///< (rows)
  std::span<const GroupId> group_of;     ///< (rows), below num_groups where they count
  std::span<const uint32_t> counts;      ///< (rows) records with the value; empty: 1 each
  std::span<const double> weights = {};  ///< (rows) of each of these records, or empty: 1 each
};

/// Means of a column by weight, overall and in groups, the same in whatever order and however
/// records are counted: sums are of whole multiples of a unit (base/fixed_point.h). NOT PRIVATE
/// where records are people.
struct GroupMeans {
  std::vector<int64_t> num_records;                           ///< (groups) those with a value
  std::vector<double> sizes;                                  ///< (groups) the sum of their weights
  std::vector<double> means;                                  ///< (groups) NaN without a value
  double overall = std::numeric_limits<double>::quiet_NaN();  ///< NaN without any value
};

GroupMeans group_means(const GroupedColumn& column, size_t num_groups);

/// How far a synthetic column's means, by weight, are from the real ones. A group without synthetic
/// records is given the overall synthetic mean; without any record that is the middle of the
/// bounds. Groups without real records are skipped; without any of them errors are NaN. NOT
/// PRIVATE.
ParityError column_parity(const GroupMeans& real, const GroupMeans& synthetic, double lower,
                          double upper);
ParityError column_parity(const GroupedColumn& real, const GroupedColumn& synthetic,
                          size_t num_groups, double lower, double upper);

/// One column of several.
struct ColumnParity {
  std::string column;
  ParityError error;
};

/// Means of all columns together. NOT PRIVATE.
struct MeansParity {
  std::vector<ColumnParity> columns;
  double parity_error = 0;  ///< the mean over columns
  /// The same of the parts of the printed definition; empty where a column has none.
  std::optional<PrintedParity> printed;
  /// The largest relative error of any group in any column; NaN where no group has real records.
  double largest_disparity = std::numeric_limits<double>::quiet_NaN();
  size_t worst_column = 0;  ///< where that is
  size_t worst_group = 0;
};

/// Pre: at least one column.
MeansParity means_parity(std::vector<ColumnParity> columns);

}  // namespace equinoise
