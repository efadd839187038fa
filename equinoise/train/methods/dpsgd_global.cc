#include "equinoise/train/methods/dpsgd_global.h"

namespace equinoise {

namespace {

GlobalClip clip_of(const TrainingConfig& config) {
  return {config.max_grad_norm, config.strict_bound.value_or(10 * config.max_grad_norm)};
}

}  // namespace

TrainingPlan DpSgdGlobal::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  TrainingPlan plan = plan_noisy_gradients("dpsgd_global", config, facts);
  plan.settings = {{"strict_bound", clip_of(config).strict_bound()}};
  return plan;
}

TrainedModel DpSgdGlobal::run(const EncodedTable& table, const Model& model,
                              const TrainingPlan& plan, TrainingState start, Charge charge,
                              RandomSource& source, StepObserver& observer) const {
  GlobalClip clip = clip_of(plan.config);
  return run_noisy_loop(table, model, clip, plan, std::move(start), std::move(charge), source,
                        observer);
}

}  // namespace equinoise
