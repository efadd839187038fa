// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/methods/dpsgd.h"

namespace equinoise {

/// DP-SGD of one model for each group, all at once: a PerGroupModel. [DworkEtAl2018;
/// AlabiWiggins2024]
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2, since a record's gradient is
/// nonzero at its own group's parameters only. Cost: that of dpsgd, with a mean of residuals for
/// each model. Groups are disjoint, so every group has the whole budget. A model with few records
/// gets as much noise as one with many, and no help from other groups.
class Decoupled final : public DpSgd {
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
  const MethodTraits& traits() const override { return kTraits; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
};

}  // namespace equinoise
