// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/worst_group/chosen_group_loop.h"
#include "equinoise/train/worst_group/weighted_run.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

/// Multiplicative group reweighting: each step draws a group by weights lambda and follows the mean
/// gradient of a batch from it; lambda grows with the noisy losses of all groups. [ZhouBassily2024,
/// Alg. 3]
///
/// Relation: zero_out. Sensitivity and cost: run_chosen_groups; for every step a Poisson batch at
/// the plan's rate with one Gaussian, and one Gaussian on the losses of all records.
///
/// Deviations: Poisson batches instead of draws with replacement, for which no tight account is
/// known. Every group is sampled at the same rate, so that larger groups have larger batches for
/// the same cost. An accountant calibrates the noise, because the printed noise has no condition on
/// batch sizes and is false (printed_noise.h). Losses have Gaussian noise instead of Laplace, which
/// has half the variance at the same zCDP.
class Mgr : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "mgr",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary = "mgr_w with a single group in each step, drawn by its weight; mgr_w is better",
      .min_groups = 2,
      .compares_groups = true,
      .pools_small_groups = true,
      .reference = "group_dro",
      .unexplained =
          "steps in which all records count alike, but those of {} follow groups by their weights",
  };
  const TrainingOptions& options() const override {
    static const TrainingOptions options =
        all_of({batch_options(), step_options(), clip_options(), loss_bound_options(),
                group_learning_rate_options(), group_loss_batch_options(), radius_options(),
                residual_options()});
    return options;
  }

  TrainingConfig slower(TrainingConfig config, const TrainingFacts& facts,
                        double factor) const override {
    slow_group_weights("train.mgr", facts, factor, config);
    return TrainingMethod::slower(std::move(config), facts, factor);
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_chosen_groups("mgr", config, facts, Event::gaussian);
    add_worst_group_settings(settle_worst_group("train.mgr", config, facts), facts,
                             plan.side_noise_stddev, 1, plan);
    return plan;
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    const WorstGroupTerms terms = settle_worst_group("train.mgr", plan.config, plan.facts);
    std::vector<double> parts;
    // A part of the steps follows the group, with the group's noise.
    for (const int64_t size : terms.sizes) {
      parts.push_back(std::sqrt(weight_by_noise(
          terms, plan.side_noise_stddev * terms.loss_bound / static_cast<double>(size))));
    }
    return reach_of_groups(terms, plan, parts);
  }

  size_t max_kept(const TrainingPlan& plan) const override { return WeightedRun::max_kept(plan); }
  TrainedModel run(TrainingRun training) const override {
    return run_chosen_groups(std::move(training), GroupRule::kWeights);
  }
};

}  // namespace

TrainingMethodRow mgr_row() { return method_row<Mgr>(); }

}  // namespace equinoise
