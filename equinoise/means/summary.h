#pragma once

#include <span>
#include <vector>

#include "equinoise/data/schema.h"
#include "equinoise/means/release.h"

namespace equinoise {

/// A mean, the standard deviation of its noise and half of the interval that noise leaves with a
/// probability of 5 %.
struct NoisyMean {
  double mean = 0;
  double noise_stddev = 0;
  double half_width = 0;
};

/// What is made of the released figures of one column. Post-processing: costs nothing.
struct ColumnSummary {
  /// The weighted sum of the strata's figures as they came out, so unbiased; where one sum over all
  /// of them was released and weights are by size, the mean of both, weighted by their precision.
  NoisyMean overall;
  double sum_of_squared_weights_by_size = 0;  ///< variance of that by the choice of records of
                                              ///< variance 1: sum w^2 / size
  std::vector<double> strata;  ///< (num_strata) what is told of each, within the bounds
  bool is_shrunk = false;      ///< whether these were moved towards each other
};

/// How figures of strata are moved towards each other by as much as noise explains their
/// differences, where at least three were asked about: from there on that is expected to help,
/// whatever the means are [Stein1956].
struct Shrinking {
  bool is_wanted = true;
  /// (num_strata, columns that make them), each column's categories from 0 on; with two columns or
  /// more, of up to 200 categories, strata are moved to what they have in common with others
  /// (shrink_intersections), else to the mean of all (shrink_estimates).
  std::vector<std::vector<size_t>> levels = {};
};

/// (num_strata, columns) for Shrinking: the place of each category among those of its column.
std::vector<std::vector<size_t>> category_levels(const std::vector<GroupLabel>& strata);

/// weights: (num_strata), or none: by the sizes of the release.
ColumnSummary summarise_column(const MeansPlan& plan, const MeansRelease& release, size_t column,
                               std::span<const double> weights, const Shrinking& shrinking);

}  // namespace equinoise
