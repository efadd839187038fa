// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/parity.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

ParityError parity_error(const ParityFacts& facts) {
  constexpr double kFloor = 0.05;
  ParityError result;
  result.scale_floor = facts.scale_floor.value_or(kFloor * (facts.upper - facts.lower));
  const auto relative = [&](double error, double truth) {
    return error / std::max(std::fabs(truth), result.scale_floor);
  };
  const double population_error = std::fabs(facts.estimated_population - facts.true_population);
  result.population_relative_error = relative(population_error, facts.true_population);
  double sum = result.population_relative_error;
  PrintedParity printed;
  bool is_printed_defined = facts.true_population != 0;
  for (size_t k = 0; k < facts.sizes.size(); ++k) {
    if (!(facts.sizes[k] > 0)) {
      result.skipped_groups.push_back(k);
      result.absolute_errors.emplace_back();
      result.relative_errors.emplace_back();
      continue;
    }
    const double truth = facts.true_values[k];
    const double error = std::fabs(facts.estimates[k] - truth);
    result.absolute_errors.emplace_back(error);
    result.relative_errors.emplace_back(relative(error, truth));
    result.max_absolute_error = std::max(result.max_absolute_error, error);
    result.max_group_error = std::max(result.max_group_error, *result.relative_errors.back());
    sum += *result.relative_errors.back();
    is_printed_defined = is_printed_defined && truth != 0;
    printed.group_sum += error / std::fabs(truth);
  }
  const auto num_groups = static_cast<double>(facts.sizes.size() - result.skipped_groups.size());
  result.parity_error = sum / (num_groups + 1);
  if (is_printed_defined && num_groups > 0) {
    printed.population = population_error / std::fabs(facts.true_population);
    result.printed = printed;
  }
  return result;
}

}  // namespace equinoise
