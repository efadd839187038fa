// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/means/release.h"

namespace equinoise {

/// A mean, the standard deviation of its noise, and half of the interval that noise leaves except
/// with kIntervalFailure. The interval is infinite if the divisor may be all noise; a weighted mean
/// is then undefined.
struct NoisyMean {
  double mean = 0;
  double noise_stddev = 0;
  double half_width = 0;
  /// The noisy divisor of the strata's sums together; empty if strata are weighted by public
  /// numbers.
  std::optional<double> size = {};
  double size_noise = 0;  ///< standard deviation of its noise
};

/// The results from the released figures of one column. Post-processing: costs nothing.
struct ColumnSummary {
  /// The weighted sum of the strata's figures as released. A column with gaps and weights by size:
  /// the mean of all values, the strata's sums over their numbers of values. With one sum over all
  /// strata and weights by size: the mean of both, weighted by their precision. A stratum about
  /// which nothing was released counts as the middle of the bounds, and the interval covers all of
  /// them.
  NoisyMean overall;
  /// Half of the interval of the mean of the population that the records come from
  /// (sampled_half_width). It needs a declared standard deviation and numbers clipped to public
  /// bounds. It is empty if several strata are weighted by noisy sizes or numbers of values, or if
  /// records count by weights.
  std::optional<double> overall_population;
  std::vector<std::optional<double>> populations;  ///< (num_strata) the same for each stratum
  std::vector<double> strata;  ///< (num_strata) the reported means, within the bounds
  bool is_shrunk = false;      ///< these were shrunk
};

/// The shrinkage of strata's figures, as far as noise explains their differences. It needs at least
/// three figures: from there on it is expected to help, whatever the means are [Stein1956].
struct Shrinking {
  bool is_wanted = true;
  /// (num_strata, columns that make them) Each column's categories from 0 on. With two columns or
  /// more, of up to 200 categories, strata are shrunk towards their common part with others
  /// (shrink_intersections), else towards the mean of all (shrink_estimates).
  std::vector<std::vector<size_t>> levels = {};
};

/// (num_strata, columns) The levels for Shrinking: the index of each category among those of its
/// column.
std::vector<std::vector<size_t>> category_levels(const std::vector<GroupLabel>& strata);

/// The distance, except with probability `failure`, between a weighted mean of independent draws
/// and the mean of their distribution. Draws have variance at most stddev^2 and bounds that are
/// `width` apart. It is the smaller one of Bernstein's and Chebyshev's bounds, which hold for every
/// distribution. variance: that of the mean, for numbers of variance 1; largest: the largest weight
/// of a number.
double sampled_half_width(double stddev, double width, double variance, double largest,
                          double failure);

/// weights: (num_strata), or none: by the sizes of the release.
ColumnSummary summarise_column(const MeansPlan& plan, const MeansRelease& release, size_t column,
                               std::span<const double> weights, const Shrinking& shrinking);

}  // namespace equinoise
