// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace equinoise {

/// The parts of parity error as printed [RosenblattStoyanovichMusco2024, Def. 10]: errors divided
/// by true values without a floor, with groups added up.
struct PrintedParity {
  double population = 0;
  double group_sum = 0;

  /// omega: the weight of the population; the paper uses one over the number of groups.
  double at(double omega) const { return omega * population + group_sum; }
};

/// The errors of estimates, overall and for each group. NOT PRIVATE if the true values come from
/// records.
struct ParityError {
  double scale_floor = 0;                              ///< of the divisors of errors
  std::vector<std::optional<double>> absolute_errors;  ///< (groups), of those with records
  std::vector<std::optional<double>> relative_errors;  ///< (groups), of those with records
  double population_relative_error = 0;
  double parity_error = 0;               ///< the mean of the population's error and of the groups'
  double max_group_error = 0;            ///< relative
  double max_absolute_error = 0;         ///< of a group
  std::vector<size_t> skipped_groups;    ///< that have no records
  std::optional<PrintedParity> printed;  ///< empty if a true value is 0, or without groups
};

/// The input of parity: true values, estimates and public facts.
struct ParityFacts {
  std::span<const double> sizes;  ///< (groups)
  std::span<const double> true_values;
  std::span<const double> estimates;
  double true_population = 0;
  double estimated_population = 0;
  double lower = 0;  ///< public bounds of the values
  double upper = 1;
  std::optional<double> scale_floor = {};  ///< [0.05 (upper - lower)]
};

/// Relative errors, each divided by max(|true value|, scale_floor). Deviation: as printed, there is
/// no floor, groups are summed, and the population has the weight of a k-th of a group
/// [RosenblattStoyanovichMusco2024, Def. 10]; groups with a mean of 0 then decide everything
/// (docs/theory/published-mistakes.md).
ParityError parity_error(const ParityFacts& facts);

}  // namespace equinoise
