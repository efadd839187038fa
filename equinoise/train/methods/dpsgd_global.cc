// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/dpsgd_global.h"

#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

namespace {

GlobalClip clip_of(const TrainingConfig& config) {
  return {config.max_grad_norm,
          config.own.of<StrictBoundOptions>().strict_bound.value_or(10 * config.max_grad_norm)};
}

}  // namespace

TrainingPlan DpSgdGlobal::make_plan(const TrainingConfig& config,
                                    const TrainingFacts& facts) const {
  TrainingPlan plan =
      plan_noisy_gradients("dpsgd_global", config, facts, {}, starting_mean_release(config, facts),
                           {}, residual_release(config, facts));
  plan.settings.emplace_back("strict_bound", clip_of(config).strict_bound());
  return plan;
}

std::unique_ptr<ClipPolicy> DpSgdGlobal::make_clip(const TrainingConfig& config,
                                                   const TrainingFacts&) const {
  return std::make_unique<GlobalClip>(clip_of(config));
}

const TrainingOptions& DpSgdGlobal::options() const {
  static const TrainingOptions options = all_of({batch_options(), step_options(), clip_options(),
                                                 residual_options(), strict_bound_options()});
  return options;
}

}  // namespace equinoise
