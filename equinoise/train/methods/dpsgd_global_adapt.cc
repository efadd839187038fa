#include "equinoise/train/methods/dpsgd_global_adapt.h"

namespace equinoise {

namespace {

GlobalAdaptClip clip_of(const TrainingConfig& config) {
  return {config.max_grad_norm,
          {config.strict_bound.value_or(10 * config.max_grad_norm), config.threshold,
           config.strict_bound_learning_rate, config.batch_size}};
}

}  // namespace

TrainingPlan DpSgdGlobalAdapt::plan(const TrainingConfig& config,
                                    const TrainingFacts& facts) const {
  const GlobalAdaptClip clip = clip_of(config);
  TrainingPlan plan = plan_noisy_gradients("dpsgd_global_adapt", config, facts, clip.num_counts());
  plan.settings = {{"strict_bound", clip.strict_bound()},
                   {"strict_bound_learning_rate", config.strict_bound_learning_rate},
                   {"threshold", config.threshold},
                   {"count_noise_multiplier", config.count_noise_multiplier}};
  return plan;
}

TrainedModel DpSgdGlobalAdapt::run(const EncodedTable& table, const Model& model,
                                   const TrainingPlan& plan, TrainingState start, Charge charge,
                                   RandomSource& source, StepObserver& observer) const {
  GlobalAdaptClip clip = clip_of(plan.config);
  return run_noisy_loop(table, model, clip, plan, std::move(start), std::move(charge), source,
                        observer);
}

}  // namespace equinoise
