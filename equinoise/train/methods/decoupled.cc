// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/decoupled.h"

#include <fmt/format.h>

#include "equinoise/train/regression/residual_mean.h"

namespace equinoise {

TrainingPlan Decoupled::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  return plan_noisy_gradients("decoupled", config, facts, {}, {}, {},
                              residual_release(config, facts, residual_sizes(facts, {}, true)));
}

std::optional<NoiseReach> Decoupled::noise_reach(const TrainingPlan& plan) const {
  // The steps of a group's model are divided by the group's share.
  const PublicGroups& groups = plan.facts.groups;
  size_t smallest = 0;
  for (size_t k = 0; k < groups.shares.size(); ++k) {
    if (!groups.shares[k] || !(*groups.shares[k] > 0)) return std::nullopt;
    if (*groups.shares[k] < *groups.shares[smallest]) smallest = k;
  }
  const double expected = plan.config.batch_size * *groups.shares[smallest];
  return reach_of_noise(plan.config,
                        {plan.noise_stddev / expected, plan.noise_stddev / plan.config.batch_size},
                        fmt::format("the model of group {}, with about {:.3g} records in a batch",
                                    groups.names[smallest], expected));
}

}  // namespace equinoise
