// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/means/estimator.h"

namespace equinoise {

/// The standard deviation, in sensitivities, of Gaussian noise that costs rho; rounded up.
double noise_multiplier_of(double rho);

/// Units on which rounded Gaussian noise of that multiplier stays within what its sampler takes.
double most_units_for_gaussian(double noise_multiplier);

/// What the sampler of rounded Gaussian noise may err in that many draws.
Event sampler_error_event(size_t num_draws);

/// How numbers of values are released with a sum, where records may lack a value: as further
/// entries of one vector, one for each column that has gaps, so that one draw pays for both. Sums
/// of weights are released in the same way: a record of weight w adds (w u, w m) in place of (u,
/// m), which lies between that and the (0, 0) of a record without a value, so that no two records
/// are farther apart (WeightedSumQuery, docs/theory/mechanisms.md).
struct CountedSum {
  double sensitivity = 1;   ///< of all entries together, in units of the grid
  int64_t count_units = 0;  ///< what each value adds to the entry of its column; 0: there is none

  /// By how much noise of a number of values widens that of a mean which lies at the end of the
  /// clip, where it does most.
  double widening(double reach) const;
};

/// Of Gaussian noise: the L2 sensitivity, for vectors of `num_columns` entries that are at most
/// `reach` units long, `num_gaps` of whose columns may lack values.
///
/// zero_out: a record takes its vector and its values with it, (reach^2 + num_gaps count_units^2)
/// under the root. replace_one, one column: two records that have a value differ by 2 reach and in
/// no number, one that has a value and one that has none by reach and 1; with count_units = sqrt(3)
/// reach both changes are equally long, so numbers of values come at no further cost. Several
/// columns: one record may have all values and the other none but be as far away, so squares of
/// 2 reach and of all numbers add up.
CountedSum counted_gaussian_sum(double reach, size_t num_columns, size_t num_gaps,
                                Relation relation);

/// Of Laplace noise: the L1 sensitivity of a sum and the number of its values. replace_one: 2 reach
/// = reach + count_units; zero_out: reach + count_units.
CountedSum counted_laplace_sum(int64_t reach, Relation relation);

/// Sum and, with gaps, the number of values, or the sum of weights, as they are released: `exact`
/// of stratum k, of a query about one column.
std::vector<int64_t> entries_of(const Answer& exact, size_t k, const CountedSum& sum);

/// What a sum and, with gaps, a number of values say about their mean; `noisy`: entries with noise
/// of standard deviation `noise_stddev`, in units. size: of the stratum, by which sums without gaps
/// are divided, and how many records may be rounded where they are weighted.
MeanEstimate read_entries(std::span<const int64_t> noisy, const ClipRange& range,
                          const CountedSum& sum, double noise_stddev, double size,
                          double half_width_in_stddevs, bool is_weighted = false);

/// The event of a noisy count of clipped records that costs rho. One record changes it by 1 at
/// most.
Event clipped_count_event(double rho);

/// That count as a share of `size` values, at least of 1.
double noisy_clipped_fraction(Permit permit, int64_t num_clipped, double size,
                              const MeanConfig& config, RandomSource& source);

/// The middle of the bounds, for a stratum about which nothing is asked.
MeanEstimate estimate_of_nothing(const MeanColumn& column);

}  // namespace equinoise
