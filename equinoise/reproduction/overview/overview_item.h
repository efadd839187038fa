// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace equinoise {

/// Bins of equal width; values beyond an end are in the last bin there.
struct OverviewBins {
  double low = 0;
  double high = 1;
  size_t count = 1;

  double width() const { return (high - low) / static_cast<double>(count); }
};

/// The view of a column.
struct OverviewLine {
  std::string column;
  std::optional<OverviewBins> bins;  ///< for its distribution; empty: its correlations
};

/// The correlations of the columns of a table, and their distributions in two groups.
struct ReproductionOverview {
  std::string target;  ///< the column that others should predict
  std::string group_column;
  std::vector<std::string> values;  ///< of that column, for the two groups
  std::vector<std::string> names;   ///< of the groups
  std::vector<OverviewLine> lines;  ///< (methods)

  /// The methods that are columns of a correlation matrix, by their indices.
  std::vector<size_t> correlated() const {
    std::vector<size_t> places;
    for (size_t m = 0; m < lines.size(); ++m)
      if (!lines[m].bins) places.push_back(m);
    return places;
  }
};

}  // namespace equinoise
