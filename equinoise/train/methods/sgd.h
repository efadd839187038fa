// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Plain SGD on Poisson batches: the NON-PRIVATE reference. Its plan is empty, because it has no
/// private release.
class Sgd final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "sgd",
      .status = PrivacyStatus::kNotPrivate,
      .source = "RobbinsMonro1951",
      .summary = "plain SGD on Poisson batches, the non-private reference",
      .supports_units = true,
      .private_form = "dpsgd",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
