// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/dpsgd.h"

#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

TrainingPlan DpSgd::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  return plan_noisy_gradients("dpsgd", config, facts, {}, starting_mean_release(config, facts), {},
                              residual_release(config, facts));
}

const TrainingOptions& DpSgd::options() const {
  static const TrainingOptions options =
      all_of({batch_options(), step_options(), clip_options(), residual_options()});
  return options;
}

}  // namespace equinoise
