// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/reproduction/experiment.h"

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

/// Pearson's correlation of two lists of equal length; NaN if either has one value only.
double correlation_of(std::span<const double> a, std::span<const double> b);

/// Views parts of a table, one for each seed. Points of a column with bins are shares in percent at
/// the middles of bins. Points of another column are correlations with the columns of correlated(),
/// at their positions from 1. Values are of both groups and of all. NOT PRIVATE. Pre: the arguments
/// outlive it. Errors: kInput (files, a column that the table does not have, or without numbers).
std::unique_ptr<ExperimentRuns> open_overview_runs(const ItemHeader& item,
                                                   const ReproductionOverview& overview,
                                                   const std::filesystem::path& folder);

}  // namespace equinoise
