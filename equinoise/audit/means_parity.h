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

/// A column of a table and the groups of its rows.
struct GroupedColumn {
  std::span<const double> values;        ///< (rows)
  std::span<const GroupId> group_of;     ///< (rows) below num_groups for rows that count
  std::span<const uint32_t> counts;      ///< (rows) records with the value; empty: 1 each
  std::span<const double> weights = {};  ///< (rows) of each of these records; empty: 1 each
};

/// Means of a column by weight, overall and in groups. They do not depend on the order of records
/// or the way they are counted: sums are of whole multiples of a unit (base/fixed_point.h). NOT
/// PRIVATE if records are people.
struct GroupMeans {
  std::vector<int64_t> num_records;                           ///< (groups) those with a value
  std::vector<double> sizes;                                  ///< (groups) the sum of their weights
  std::vector<double> means;                                  ///< (groups) NaN without a value
  double overall = std::numeric_limits<double>::quiet_NaN();  ///< NaN without any value
};

GroupMeans group_means(const GroupedColumn& column, size_t num_groups);

/// The error of a synthetic column's means, by weight. A group without synthetic records gets the
/// overall synthetic mean; without any record that is the middle of the bounds. Groups without real
/// records are skipped; without any of them errors are NaN. NOT PRIVATE.
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
  /// The means of the parts of the printed definition; empty if a column has none.
  std::optional<PrintedParity> printed;
  /// The largest relative error of any group in any column; NaN if no group has real records.
  double largest_disparity = std::numeric_limits<double>::quiet_NaN();
  size_t worst_column = 0;  ///< and worst_group: where that error is
  size_t worst_group = 0;
};

/// Pre: at least one column.
MeansParity means_parity(std::vector<ColumnParity> columns);

}  // namespace equinoise
