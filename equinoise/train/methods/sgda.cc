// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/sgda.h"

#include <fmt/format.h>

#include <limits>

#include "equinoise/train/methods/raco_dp.h"

namespace equinoise {

TrainingPlan DescentAscent::make_plan(const TrainingConfig& config,
                                      const TrainingFacts& facts) const {
  make_rate_lagrangian(fmt::format("train.{}", traits().name), config, facts);
  TrainingPlan plan = plan_without_guarantee(traits().name, config, facts);
  plan.settings = rate_settings(config);
  if (clips_) plan.settings.emplace_back("max_grad_norm", config.max_grad_norm);
  return plan;
}

std::unique_ptr<ClipPolicy> DescentAscent::make_clip(const TrainingConfig& config,
                                                     const TrainingFacts& facts) const {
  if (clips_) return RacoDp().make_clip(config, facts);
  if (config.constraints == nullptr) return std::make_unique<NoClip>();
  return std::make_unique<RateClip>(
      std::numeric_limits<double>::infinity(), 0,
      make_rate_lagrangian(fmt::format("train.{}", traits().name), config, facts));
}

TrainedModel DescentAscent::run(TrainingRun training) const {
  return run_plain_loop(std::move(training), *make_clip(training.plan.config, training.plan.facts));
}

const TrainingOptions& DescentAscent::options() const {
  static const TrainingOptions options =
      all_of({batch_options(), step_options(), clip_options(), multiplier_options(),
              smoothing_options(), margin_options()});
  return options;
}

}  // namespace equinoise
