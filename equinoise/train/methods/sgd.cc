// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/sgd.h"

namespace equinoise {

TrainingPlan Sgd::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  return plan_without_guarantee("sgd", config, facts);
}

TrainedModel Sgd::run(TrainingRun training) const {
  NoClip clip;
  return run_plain_loop(std::move(training), clip);
}

const TrainingOptions& Sgd::options() const {
  static const TrainingOptions options = all_of({batch_options(), step_options()});
  return options;
}

}  // namespace equinoise
