// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Plain SGD on Poisson batches: the NON-PRIVATE reference. Releases nothing under privacy, so its
/// plan is empty.
class Sgd final : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  bool supports_units() const override { return true; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
