// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/methods/dpsgd.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// dpsgd on full batches: noisy gradient descent on all records with equal weights, without groups.
/// The baseline of [AlabiWiggins2024], also known as DP-GD.
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2. Cost: num_steps x Gaussian, and
/// those of the means that dpsgd releases, the same for all records. Deviation: steps are those of
/// the run's optimizer, the model is the mean of the last iterates, and no box holds parameters.
class Dpnose final : public DpSgd {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpnose",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary = "noisy gradient descent on all records without groups, the baseline of dpse",
      .supports_units = true,
      .takes_full_batches = true,
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
};

}  // namespace equinoise
