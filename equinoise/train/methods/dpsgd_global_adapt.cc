// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/dpsgd_global_adapt.h"

#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

namespace {

GlobalAdaptClip adaptive_clip_of(const TrainingConfig& config) {
  const auto& own = config.own.of<GlobalAdaptOptions>();
  return {config.max_grad_norm,
          {config.own.of<StrictBoundOptions>().strict_bound.value_or(10 * config.max_grad_norm),
           own.threshold, own.strict_bound_learning_rate, config.batch_size}};
}

}  // namespace

TrainingPlan DpSgdGlobalAdapt::make_plan(const TrainingConfig& config,
                                         const TrainingFacts& facts) const {
  const GlobalAdaptClip clip = adaptive_clip_of(config);
  TrainingPlan plan = plan_noisy_gradients(
      "dpsgd_global_adapt", config, facts,
      {"count", clip.num_counts(), config.own.of<CountOptions>().count_noise_multiplier},
      starting_mean_release(config, facts), {}, residual_release(config, facts));
  const auto& own = config.own.of<GlobalAdaptOptions>();
  plan.settings.insert(plan.settings.end(),
                       {{"strict_bound", clip.strict_bound()},
                        {"strict_bound_learning_rate", own.strict_bound_learning_rate},
                        {"threshold", own.threshold},
                        {"count_noise_multiplier", plan.side_noise_multiplier}});
  return plan;
}

std::unique_ptr<ClipPolicy> DpSgdGlobalAdapt::make_clip(const TrainingConfig& config,
                                                        const TrainingFacts&) const {
  return std::make_unique<GlobalAdaptClip>(adaptive_clip_of(config));
}

const TrainingOptions& DpSgdGlobalAdapt::options() const {
  static const TrainingOptions options =
      all_of({batch_options(), step_options(), clip_options(), residual_options(),
              strict_bound_options(), count_options(),
              TrainingOptions{
                  {{.name = "strict_bound_learning_rate",
                    .help = "Rate at which the strict bound decreases to what the gradients need",
                    .range = positive(1e6)},
                   kOwnTrainingField<&GlobalAdaptOptions::strict_bound_learning_rate>},
                  {{.name = "threshold",
                    .help = "Multiple of the strict bound above which a gradient counts as long",
                    .range = positive(1e6)},
                   kOwnTrainingField<&GlobalAdaptOptions::threshold>}}});
  return options;
}

}  // namespace equinoise
