// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/dpnose.h"

#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

TrainingPlan Dpnose::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  TrainingConfig full = config;
  full.batch_size = static_cast<double>(facts.num_records);
  return plan_noisy_gradients("dpnose", full, facts, {}, starting_mean_release(full, facts), {},
                              residual_release(full, facts));
}

const TrainingOptions& Dpnose::options() const {
  static const TrainingOptions options =
      all_of({step_options(), clip_options(), residual_options()});
  return options;
}

}  // namespace equinoise
