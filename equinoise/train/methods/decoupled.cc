// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"

namespace equinoise {

namespace {

/// DP-SGD of one model for each group, all at once: a PerGroupModel. [DworkEtAl2018;
/// AlabiWiggins2024]
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2, since a record's gradient is
/// nonzero at its own group's parameters only. Cost: that of dpsgd, with a mean of residuals for
/// each model. Groups are disjoint, so every group has the whole budget. A model with few records
/// gets as much noise as one with many, and no help from other groups.
class Decoupled : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "decoupled",
      .status = PrivacyStatus::kPrivate,
      .source = "DworkEtAl2018",
      .summary = "dpsgd of one linear model for each group, each with the whole budget",
      .min_groups = 1,
      .supports_units = true,
      .has_model_per_group = true,
  };
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(), residual_options()});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_noisy_gradients("decoupled", config, facts, {}, {}, {},
                                residual_release(config, facts, residual_sizes(facts, {}, true)));
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    // The steps of a group's model are divided by the group's share.
    const PublicGroups& groups = plan.facts.groups;
    size_t smallest = 0;
    for (size_t k = 0; k < groups.shares.size(); ++k) {
      if (!groups.shares[k] || !(*groups.shares[k] > 0)) return std::nullopt;
      if (*groups.shares[k] < *groups.shares[smallest]) smallest = k;
    }
    const double expected = plan.config.batch_size * *groups.shares[smallest];
    return reach_of_noise(
        plan.config, {plan.noise_stddev / expected, plan.noise_stddev / plan.config.batch_size},
        fmt::format("the model of group {}, with about {:.3g} records in a batch",
                    groups.names[smallest], expected));
  }
};

}  // namespace

TrainingMethodRow decoupled_row() { return method_row<Decoupled>(); }

}  // namespace equinoise
