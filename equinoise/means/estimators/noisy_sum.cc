// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/estimators/noisy_sum.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/mechanisms/discrete_laplace.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

namespace {

/// A bound above the rounding of a root, of a quotient and of the accountants' use of them.
constexpr double kRelativeRounding = 1e-12;

/// The units of one value relative to the reach, under zero_out, where numbers of values cost: a
/// third of the squared L2 sensitivity.
constexpr double kCountReach = 0.7071067811865476;

}  // namespace

double CountedSum::widening(double reach) const {
  return count_units == 0 ? 1 : std::hypot(1.0, reach / static_cast<double>(count_units));
}

CountedSum counted_gaussian_sum(double reach, size_t num_columns, size_t num_gaps,
                                Relation relation) {
  const bool is_replaced = relation == Relation::kReplaceOne;
  if (num_gaps == 0) return {(is_replaced ? 2 : 1) * reach, 0};
  const auto gaps = static_cast<double>(num_gaps);
  const bool is_single = is_replaced && num_columns == 1;
  const double wanted = is_single     ? std::sqrt(3.0) * (1 - kRelativeRounding) * reach
                        : is_replaced ? reach / std::sqrt(gaps)
                                      : kCountReach * reach / std::sqrt(gaps);
  const double units = std::max(1.0, std::floor(wanted));
  const double change = is_replaced ? 2 * reach : reach;
  const double together = is_single ? std::max(change, std::hypot(reach, units))
                                    : std::hypot(change, units * std::sqrt(gaps));
  // The larger of the two changes is exact for a single column if it is 2 reach.
  return {together == change ? change : round_up(together, kRelativeRounding),
          static_cast<int64_t>(units)};
}

CountedSum counted_laplace_sum(int64_t reach, Relation relation) {
  const bool is_replaced = relation == Relation::kReplaceOne;
  const int64_t units = std::max<int64_t>(
      1, is_replaced ? reach : static_cast<int64_t>(kCountReach * static_cast<double>(reach)));
  return {static_cast<double>(reach + units), units};
}

std::vector<int64_t> entries_of(const Answer& exact, size_t k, const CountedSum& sum) {
  std::vector<int64_t> entries = {exact.values[k]};
  if (sum.count_units > 0) {
    entries.push_back(exact.weights.empty() ? sum.count_units * exact.num_values[k]
                                            : exact.weights[k]);
  }
  return entries;
}

MeanEstimate read_entries(std::span<const int64_t> noisy, const ClipRange& range,
                          const CountedSum& sum, double noise_stddev, double size,
                          double half_width_in_stddevs, bool is_weighted) {
  MeanEstimate estimate;
  estimate.size = size;
  if (sum.count_units > 0) {
    const auto units = static_cast<double>(sum.count_units);
    estimate.size = static_cast<double>(noisy[1]) / units;
    estimate.size_noise = noise_stddev / units;
  }
  const double divisor = std::max(estimate.size, 1.0);
  estimate.mean = range.centre + static_cast<double>(noisy[0]) * range.grid / divisor;
  estimate.sum_noise_stddev = noise_stddev * range.grid / divisor;
  estimate.half_width_in_stddevs = half_width_in_stddevs;
  estimate.clip_lower = range.centre - range.half_width();
  estimate.clip_upper = range.centre + range.half_width();
  // The grid, and half of the last place of a figure of that size and of its clip's ends.
  estimate.rounding = 2 * range.grid + 0x1p-52 * std::max(std::fabs(estimate.clip_lower),
                                                          std::fabs(estimate.clip_upper));
  // Each weighted number changes by a unit, and each weight by half of one of its own units, of
  // which there are at least half as many as of the number's.
  estimate.is_weighted = is_weighted;
  if (is_weighted) {
    estimate.rounding += 3 * range.grid * size / divisor;
    estimate.weighted_rounding = 5 * range.grid * size;  // with that of clips and of the sum
  }
  settle_noise(estimate);
  return estimate;
}

double noise_multiplier_of(double rho) {
  check_positive("means", "rho", rho);
  return round_up(1 / std::sqrt(2 * rho), kRelativeRounding);
}

double max_units_for_gaussian(double noise_multiplier) {
  return std::clamp(0.25 * kMaxGaussianStddev / noise_multiplier, 1.0, kMaxUnits);
}

Event sampler_error_event(size_t num_draws) {
  return Event::sampler_error(static_cast<double>(num_draws) * kGaussianDrawError);
}

Event clipped_count_event(double rho) {
  return Event::discrete_gaussian(noise_multiplier_of(rho), 1);
}

void add_noise(Permit permit, const CountedSum& sum, Relation relation, std::span<int64_t> entries,
               RandomSource& source) {
  const Event::Kind kind = permit.event().kind();
  const Norm norm = kind == Event::Kind::kGaussian ? Norm::kL2 : Norm::kL1;
  const Sensitivity sensitivity(sum.sensitivity, norm, relation);
  if (kind == Event::Kind::kGaussian) {
    add_gaussian_noise(std::move(permit), sensitivity, entries, source);
  } else if (kind == Event::Kind::kDiscreteGaussian) {
    add_discrete_gaussian_noise(std::move(permit), sensitivity, entries, source);
  } else {
    add_discrete_laplace_noise(std::move(permit), sensitivity, entries, source);
  }
}

MeanEstimate release_gaussian_sum(const MeanTask& task, const Answer& exact, size_t k,
                                  const ClipRange& range, Permit permit, RandomSource& source) {
  const CountedSum sum = counted_gaussian_sum(static_cast<double>(range.half_units), 1,
                                              task.num_gaps(), task.config.relation);
  std::vector<int64_t> entries = entries_of(exact, k, sum);
  const double stddev = permit.event().noise_multiplier() * sum.sensitivity;
  add_noise(std::move(permit), sum, task.config.relation, entries, source);
  return read_entries(entries, range, sum, stddev, task.sizes[k], kNormalQuantile);
}

std::optional<double> noisy_clipped_fraction(const MeanTask& task, const Answer& exact, size_t k,
                                             double size, size_t item, Charge& charge,
                                             RandomSource& source) {
  if (task.config.clipped_share == 0) return std::nullopt;
  int64_t num_clipped = exact.num_clipped[k];
  add_discrete_gaussian_noise(charge.take(task.first_item + item),
                              {1, Norm::kL1, task.config.relation}, {&num_clipped, 1}, source);
  return std::clamp(static_cast<double>(num_clipped) / std::max(size, 1.0), 0.0, 1.0);
}

MeanEstimate estimate_of_nothing(const MeanColumn& column) {
  const double half = (column.upper - column.lower) / 2;
  MeanEstimate estimate;
  estimate.mean = column.lower + half;
  estimate.noise_stddev = half;
  estimate.half_width = half;
  estimate.clip_lower = column.lower;
  estimate.clip_upper = column.upper;
  return estimate;
}

}  // namespace equinoise
