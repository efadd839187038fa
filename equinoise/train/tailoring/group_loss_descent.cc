// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/group_loss_descent.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";

void check_groups(std::string_view name, std::span<const double> values, size_t num_groups) {
  if (values.size() != num_groups) {
    throw Error(ErrorKind::kUsage, kWhere, "{} must have a value for each of {} groups, got {}",
                name, num_groups, values.size());
  }
}

}  // namespace

void check_group_losses(const GroupLossConfig& config, size_t num_groups) {
  if (!config.objective_quantile) check_groups("objective", config.objective, num_groups);
  check_groups("group_rho", config.group_rho, num_groups);
  check_non_negative(kWhere, "lagrange_multiplier", config.lagrange_multiplier);
  if (config.lagrange_multiplier > 0) check_groups("loss_bounds", config.loss_bounds, num_groups);
}

double answer_rho(const GroupLossConfig& config, int64_t num_steps, size_t group) {
  const double num_answers = config.asks_losses() ? 2 : 1;
  return config.group_rho[group] / (num_answers * static_cast<double>(num_steps));
}

GroupStep ask_group_step(GroupAnswers& answers, const GroupLossConfig& config, int64_t num_steps,
                         std::span<const double> parameters) {
  const std::span<const int64_t> sizes = answers.group_sizes();
  check_group_losses(config, sizes.size());
  const size_t num_features = answers.num_features();
  std::vector<double> gradients(sizes.size() * num_features);
  const auto gradient_of = [&](size_t group) {
    return std::span(gradients).subspan(group * num_features, num_features);
  };
  for (size_t k = 0; k < sizes.size(); ++k)
    answers.gradient_mean(k, parameters, answer_rho(config, num_steps, k), gradient_of(k));
  std::vector<double> losses;
  for (size_t k = 0; k < sizes.size() && config.asks_losses(); ++k)
    losses.push_back(answers.loss_mean(k, parameters, answer_rho(config, num_steps, k)));

  GroupStep step;
  step.direction.assign(num_features, 0.0);
  const auto follow = [&](std::span<const double> weights, double factor) {
    for (size_t k = 0; k < sizes.size(); ++k) {
      for (size_t j = 0; j < num_features && weights[k] != 0; ++j)
        step.direction[j] += factor * weights[k] * gradient_of(k)[j];
    }
  };
  follow(config.objective_quantile ? weights_at({*config.objective_quantile}, losses, sizes)
                                   : config.objective,
         1);
  if (config.lagrange_multiplier == 0) return step;
  for (size_t k = 0; k < sizes.size(); ++k) losses[k] -= config.loss_bounds[k];
  const std::vector<double> weights = weights_at(config.constraint, losses, sizes);
  step.worst_group = static_cast<size_t>(std::ranges::max_element(losses) - losses.begin());
  step.gap = std::inner_product(weights.begin(), weights.end(), losses.begin(), 0.0);
  step.constraint_active = step.gap >= 0;
  if (step.constraint_active) follow(weights, config.lagrange_multiplier);
  return step;
}

}  // namespace equinoise
