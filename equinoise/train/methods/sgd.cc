// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/sgd.h"

namespace equinoise {

TrainingPlan Sgd::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  check_training_config("train.sgd", config, facts);
  TrainingPlan plan{"sgd", config, facts};
  plan.sample_rate = config.batch_size / static_cast<double>(facts.num_records);
  return plan;
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
