// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/means/release.h"

namespace equinoise {

/// A mean, the standard deviation of its noise and half of the interval that noise leaves but with
/// kIntervalFailure; infinite where what is divided by may be all noise: then there is no mean by
/// weight.
struct NoisyMean {
  double mean = 0;
  double noise_stddev = 0;
  double half_width = 0;
  /// What the strata's sums are divided by together, where that is noisy; none of strata that are
  /// weighted by public numbers.
  std::optional<double> size = {};
  double size_noise = 0;  ///< standard deviation in that
};

/// What is made of the released figures of one column. Post-processing: costs nothing.
struct ColumnSummary {
  /// The weighted sum of the strata's figures as they came out. Of a column with gaps, where
  /// weights are by size: the mean of all values, the strata's sums over their numbers of values.
  /// Where one sum over all strata was released and weights are by size, the mean of both, weighted
  /// by their precision. A stratum about which nothing was asked counts as the middle of the
  /// bounds, and the interval allows for all between them.
  NoisyMean overall;
  /// Half of the interval of the mean of the population that the records come from, where a
  /// standard deviation is declared and numbers are clipped to public bounds; else none
  /// (sampled_half_width), nor where several strata are weighted by noisy sizes or numbers of
  /// values, nor of records that count by weights.
  std::optional<double> overall_population;
  std::vector<std::optional<double>> populations;  ///< (num_strata) the same of each
  std::vector<double> strata;  ///< (num_strata) the reported mean of each, within the bounds
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

/// How far a weighted mean of numbers that are drawn independently, of a variance of at most
/// stddev^2 and within bounds that are `width` apart, is from that of their law but with
/// probability `failure`: the smaller one of Bernstein's and Chebyshev's bounds, which hold for
/// every law. variance: that of the mean, for numbers of variance 1; largest: the largest weight of
/// a number.
double sampled_half_width(double stddev, double width, double variance, double largest,
                          double failure);

/// weights: (num_strata), or none: by the sizes of the release.
ColumnSummary summarise_column(const MeansPlan& plan, const MeansRelease& release, size_t column,
                               std::span<const double> weights, const Shrinking& shrinking);

}  // namespace equinoise
