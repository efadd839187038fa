// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/ags.h"

#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/worst_group/chosen_group_loop.h"
#include "equinoise/train/worst_group/weighted_run.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

bool is_gumbel(const TrainingConfig& config) {
  return config.own.of<WorstGroupOptions>().selection == GroupSelection::kGumbel;
}

}  // namespace

TrainingPlan Ags::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  const bool gumbel = is_gumbel(config);
  // The same zCDP as a Gaussian of that multiplier: epsilon^2 / 8 = 1 / (2 multiplier^2).
  TrainingPlan plan = plan_chosen_groups("ags", config, facts, [&](double multiplier) {
    return gumbel ? Event::exponential(2 / multiplier) : Event::laplace(multiplier);
  });
  const WorstGroupTerms terms = settle_worst_group("train.ags", config, facts);
  if (gumbel) {
    plan.settings.insert(plan.settings.end(),
                         {{"loss_bound", terms.loss_bound},
                          {"loss_share", config.own.of<WorstGroupOptions>().loss_share},
                          {"selection_epsilon", 2 / plan.side_noise_stddev}});
  } else {
    // Laplace noise of scale 1 has the standard deviation sqrt(2).
    add_worst_group_settings(terms, facts, std::sqrt(2.0) * plan.side_noise_stddev, 1, plan);
  }
  return plan;
}

std::optional<NoiseReach> Ags::noise_reach(const TrainingPlan& plan) const {
  const WorstGroupTerms terms = settle_worst_group("train.ags", plan.config, plan.facts);
  // Every step may follow the same group.
  return reach_of_groups(terms, plan, std::vector<double>(terms.num_groups(), 1.0));
}

size_t Ags::max_kept(const TrainingPlan& plan) const { return WeightedRun::max_kept(plan); }

TrainedModel Ags::run(TrainingRun training) const {
  return run_chosen_groups(std::move(training), is_gumbel(training.plan.config)
                                                    ? GroupRule::kExponentially
                                                    : GroupRule::kLargestLoss);
}

const TrainingOptions& Ags::options() const {
  static const TrainingOptions options = all_of(
      {batch_options(), step_options(), clip_options(), loss_bound_options(),
       group_loss_batch_options(), radius_options(), selection_options(), residual_options()});
  return options;
}

}  // namespace equinoise
