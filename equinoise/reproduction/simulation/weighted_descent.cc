// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/weighted_descent.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "equinoise/base/check.h"
#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";

/// A release with this coefficient for every group.
WeightedRelease equal_release(const GroupAnswers& answers, double coefficient) {
  const size_t num_groups = answers.group_sizes().size();
  return {std::vector<double>(num_groups, coefficient),
          std::vector<double>(num_groups, answers.bounds().max_grad_norm), 0};
}

}  // namespace

std::vector<double> group_costs(const WeightedRelease& release, Relation relation,
                                int64_t num_steps) {
  std::vector<double> costs;
  for (size_t k = 0; k < release.coefficients.size(); ++k) {
    if (release.coefficients[k] == 0) {
      costs.push_back(0);
      continue;
    }
    const double sensitivity =
        gradient_sum_sensitivity(relation, release.coefficients[k] * release.max_grad_norms[k])
            .value();
    const double ratio = sensitivity / release.noise_stddev;
    costs.push_back(static_cast<double>(num_steps) * ratio * ratio / 2);
  }
  return costs;
}

double sum_noise_stddev(const AnswerBounds& bounds, int64_t num_steps, double rho) {
  if (rho == HUGE_VAL) return 0;
  return noise_stddev(gradient_sum_sensitivity(bounds.relation, bounds.max_grad_norm),
                      rho / static_cast<double>(num_steps));
}

WeightedRelease unweighted_release(const GroupAnswers& answers, int64_t num_steps, double rho) {
  WeightedRelease release = equal_release(answers, 1);
  release.noise_stddev = sum_noise_stddev(answers.bounds(), num_steps, rho);
  return release;
}

WeightedRelease summed_release(const GroupAnswers& answers, int64_t num_steps, double rho,
                               std::span<const double> shares) {
  double variances = 0;
  for (const double share : shares) {
    check_positive(kWhere, "the share of a group", share);
    variances += 1 / share;
  }
  WeightedRelease release = unweighted_release(answers, num_steps, rho);
  release.noise_stddev *= std::sqrt(variances);
  return release;
}

WeightedRelease balanced_release(const GroupAnswers& answers, int64_t num_steps, double rho) {
  WeightedRelease release = equal_release(answers, 0);
  const std::span<const int64_t> sizes = answers.group_sizes();
  double largest = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    release.coefficients[k] = 1 / static_cast<double>(sizes.size()) / static_cast<double>(sizes[k]);
    largest = std::max(largest, release.coefficients[k]);
  }
  release.noise_stddev = largest * sum_noise_stddev(answers.bounds(), num_steps, rho);
  return release;
}

WeightedRelease single_group_release(const GroupAnswers& answers, int64_t num_steps, double rho,
                                     size_t group) {
  WeightedRelease release = equal_release(answers, 0);
  release.coefficients.at(group) = 1;
  release.noise_stddev = sum_noise_stddev(answers.bounds(), num_steps, rho);
  return release;
}

std::vector<double> descend(WeightedGroupAnswers& answers, const DescentConfig& config,
                            const WeightedRelease& release) {
  DirectionFacts facts = {0, release.noise_stddev, answers.num_features()};
  const std::span<const int64_t> sizes = answers.group_sizes();
  for (size_t k = 0; k < sizes.size(); ++k) {
    facts.lipschitz +=
        release.coefficients[k] * release.max_grad_norms[k] * static_cast<double>(sizes[k]);
  }
  std::vector<double> parameters(answers.num_features(), 0.0);
  std::vector<double> direction(answers.num_features());
  for (int64_t t = 1; t <= config.num_steps; ++t) {
    answers.weighted_sum(parameters, release.coefficients, release.max_grad_norms,
                         release.noise_stddev, direction);
    take_step(config.box, step_size_at(config, facts, t), direction, parameters);
  }
  return parameters;
}

}  // namespace equinoise
