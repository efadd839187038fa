#include "equinoise/train/methods/mgr.h"

#include "equinoise/train/worst_group/chosen_group_loop.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

bool Mgr::trains(std::string_view model) const { return is_linear_in_parameters(model); }

std::unique_ptr<ClipPolicy> Mgr::make_clip(const TrainingConfig& config,
                                           const TrainingFacts&) const {
  return std::make_unique<FlatClip>(config.max_grad_norm);
}

TrainingPlan Mgr::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  TrainingPlan plan = plan_chosen_groups("mgr", config, facts, Event::gaussian);
  add_worst_group_settings(settle_worst_group("train.mgr", config, facts), facts,
                           plan.side_noise_stddev, 1, plan);
  return plan;
}

TrainedModel Mgr::run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                      TrainingState start, Charge charge, RandomSource& source,
                      StepObserver& observer) const {
  return run_chosen_groups(table, model, plan, GroupRule::kWeights, std::move(start),
                           std::move(charge), source, observer);
}

}  // namespace equinoise
