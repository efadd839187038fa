// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/mgr.h"

#include <cmath>
#include <utility>

#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/worst_group/chosen_group_loop.h"
#include "equinoise/train/worst_group/weighted_run.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

TrainingPlan Mgr::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  TrainingPlan plan = plan_chosen_groups("mgr", config, facts, Event::gaussian);
  add_worst_group_settings(settle_worst_group("train.mgr", config, facts), facts,
                           plan.side_noise_stddev, 1, plan);
  return plan;
}

TrainingConfig Mgr::slower(TrainingConfig config, const TrainingFacts& facts, double factor) const {
  slow_group_weights("train.mgr", facts, factor, config);
  return TrainingMethod::slower(std::move(config), facts, factor);
}

std::optional<NoiseReach> Mgr::noise_reach(const TrainingPlan& plan) const {
  const WorstGroupTerms terms = settle_worst_group("train.mgr", plan.config, plan.facts);
  std::vector<double> parts;
  // A part of the steps follows the group, with the group's noise.
  for (const int64_t size : terms.sizes) {
    parts.push_back(std::sqrt(weight_by_noise(
        terms, plan.side_noise_stddev * terms.loss_bound / static_cast<double>(size))));
  }
  return reach_of_groups(terms, plan, parts);
}

size_t Mgr::max_kept(const TrainingPlan& plan) const { return WeightedRun::max_kept(plan); }

TrainedModel Mgr::run(TrainingRun training) const {
  return run_chosen_groups(std::move(training), GroupRule::kWeights);
}

const TrainingOptions& Mgr::options() const {
  static const TrainingOptions options =
      all_of({batch_options(), step_options(), clip_options(), loss_bound_options(),
              group_learning_rate_options(), group_loss_batch_options(), radius_options(),
              residual_options()});
  return options;
}

}  // namespace equinoise
