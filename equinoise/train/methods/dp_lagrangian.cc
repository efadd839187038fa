// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/dp_lagrangian.h"

#include <fmt/format.h>

#include <utility>

namespace equinoise {

namespace {

/// The quantity that raco_dp smooths is the mean over an interval here.
TrainingConfig with_means_of_intervals(TrainingConfig config) {
  auto& own = config.own.of<RateOptions>();
  own.histogram_decay = 0;
  own.multipliers = MultiplierRule::kMean;
  return config;
}

}  // namespace

int64_t DpLagrangian::dual_interval(const TrainingConfig& config) const {
  return config.own.of<DualStepOptions>().dual_interval;
}

TrainingPlan DpLagrangian::make_plan(const TrainingConfig& config,
                                     const TrainingFacts& facts) const {
  TrainingPlan plan = RacoDp::make_plan(with_means_of_intervals(config), facts);
  plan.config = config;
  plan.settings.emplace_back("dual_interval", static_cast<double>(dual_interval(config)));
  if (dual_interval(config) >= config.num_steps) {
    plan.notes.push_back(fmt::format(
        "multipliers move every {} steps, of which this run has {}, so that the constraints change "
        "nothing; lower --dual-interval",
        dual_interval(config), config.num_steps));
  }
  return plan;
}

std::unique_ptr<ClipPolicy> DpLagrangian::make_clip(const TrainingConfig& config,
                                                    const TrainingFacts& facts) const {
  return RacoDp::make_clip(with_means_of_intervals(config), facts);
}

const TrainingOptions& DpLagrangian::options() const {
  static const TrainingOptions options =
      all_of({batch_options(), step_options(), clip_options(), multiplier_options(),
              TrainingOptions{{{.name = "dual_interval",
                                .help = "Number of steps between two moves of the multipliers, by "
                                        "--dual-learning-rate for each of them",
                                .range = between(1, 1e9),
                                .section = "Constraints"},
                               kOwnTrainingField<&DualStepOptions::dual_interval>}},
              margin_options(), histogram_noise_options()});
  return options;
}

}  // namespace equinoise
