// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/means/estimator.h"

namespace equinoise {

/// The standard deviation, in sensitivities, of Gaussian noise that costs rho; rounded up.
double noise_multiplier_of(double rho);

/// The number of units for which rounded Gaussian noise of that multiplier stays within the
/// sampler's range.
double max_units_for_gaussian(double noise_multiplier);

/// The error of the sampler of rounded Gaussian noise over `num_draws` draws.
Event sampler_error_event(size_t num_draws);

/// The release of numbers of values with a sum, for columns with gaps. They are further entries of
/// one vector, one for each column with gaps, so that one draw pays for both. Sums of weights are
/// released in the same way. A record of weight w adds (w u, w m) instead of (u, m). That lies
/// between (u, m) and the (0, 0) of a record without a value, so no two records are farther apart
/// (WeightedSumQuery, docs/theory/mechanisms.md).
struct CountedSum {
  double sensitivity = 1;   ///< of all entries together, in units of the grid
  int64_t count_units = 0;  ///< added by each value to the entry of its column; 0: no entry

  /// The factor by which the noise of a number of values widens the noise of a mean at the end of
  /// the clip, the worst case.
  double widening(double reach) const;
};

/// The sum for Gaussian noise: the L2 sensitivity, for vectors of `num_columns` entries that are at
/// most `reach` units long, with `num_gaps` columns that may lack values.
///
/// zero_out: a record removes its vector and its values, sqrt(reach^2 + num_gaps count_units^2).
/// replace_one, one column: two records with a value differ by 2 reach and in no number. A record
/// with a value and one without differ by reach and 1. With count_units = sqrt(3) reach both
/// changes are equally long, so numbers of values come at no further cost. Several columns: one
/// record may have all values and the other none but be as far away, so squares of 2 reach and of
/// all numbers add up.
CountedSum counted_gaussian_sum(double reach, size_t num_columns, size_t num_gaps,
                                Relation relation);

/// The sum for Laplace noise: the L1 sensitivity of a sum and the number of its values.
/// replace_one: 2 reach = reach + count_units; zero_out: reach + count_units.
CountedSum counted_laplace_sum(int64_t reach, Relation relation);

/// The entries to release: the sum and, with gaps, the number of values, or the sum of weights.
/// `exact` is the answer to a query about one column, `k` the stratum.
std::vector<int64_t> entries_of(const Answer& exact, size_t k, const CountedSum& sum);

/// The mean from a noisy sum and, with gaps, a noisy number of values. `noisy`: entries with noise
/// of standard deviation `noise_stddev`, in units. `size`: the size of the stratum. Sums without
/// gaps are divided by it; for weighted records it bounds the number of roundings.
MeanEstimate read_entries(std::span<const int64_t> noisy, const ClipRange& range,
                          const CountedSum& sum, double noise_stddev, double size,
                          double half_width_in_stddevs, bool is_weighted = false);

/// Adds noise of the permit's event to all entries: rounded or discrete Gaussian, or discrete
/// Laplace noise.
void add_noise(Permit permit, const CountedSum& sum, Relation relation, std::span<int64_t> entries,
               RandomSource& source);

/// The mean of stratum `k` from its entries with rounded Gaussian noise, for a task about one
/// column whose numbers are clipped to `range`.
MeanEstimate release_gaussian_sum(const MeanTask& task, const Answer& exact, size_t k,
                                  const ClipRange& range, Permit permit, RandomSource& source);

/// The event of a noisy count of clipped records that costs rho. One record changes the count by at
/// most 1.
Event clipped_count_event(double rho);

/// Noisy count of clipped records in stratum `k` as a share of `size` values, or of 1 value if
/// `size` is less; empty unless it is paid for. `item`: of its event among those of the task.
std::optional<double> noisy_clipped_fraction(const MeanTask& task, const Answer& exact, size_t k,
                                             double size, size_t item, Charge& charge,
                                             RandomSource& source);

/// The middle of the bounds, for a stratum about which nothing is released.
MeanEstimate estimate_of_nothing(const MeanColumn& column);

}  // namespace equinoise
