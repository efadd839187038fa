#include "equinoise/train/methods/dpsgd.h"

namespace equinoise {

TrainingPlan DpSgd::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  return plan_noisy_gradients("dpsgd", config, facts);
}

TrainedModel DpSgd::run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                        TrainingState start, Charge charge, RandomSource& source,
                        StepObserver& observer) const {
  FlatClip clip(plan.config.max_grad_norm);
  return run_noisy_loop(table, model, clip, plan, std::move(start), std::move(charge), source,
                        observer);
}

}  // namespace equinoise
