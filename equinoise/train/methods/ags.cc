// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/rows.h"
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

/// Active group selection: each step chooses a group with a large loss and follows the mean
/// gradient of a batch from it. [ZhouBassily2024, Alg. 5]
///
/// Relation: zero_out. Sensitivity and cost: run_chosen_groups; for every step a Poisson batch at
/// the plan's rate with one Gaussian, and the choice. "laplace" releases all losses with Laplace
/// noise and takes the largest. A record moves one loss, so noise of scale loss_bound / (n
/// epsilon0) costs epsilon0, without the factor 2 of other proofs. "gumbel" is the exponential
/// mechanism, Pr ~ exp(loss n_min epsilon0 / loss_bound), and releases the choice alone. One score
/// moves, so all log-ratios are in an interval of width epsilon0, which is epsilon0^2 / 8 zCDP.
///
/// Deviations: those of mgr; gumbel, which the paper does not have, is the default, because it has
/// half the scale of Laplace noise at the same zCDP.
class Ags : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "ags",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "mgr_w with a single group of large loss in each step, chosen privately; mgr_w is better",
      .min_groups = 2,
      .compares_groups = true,
      .pools_small_groups = true,
      .reference = "group_dro",
      .unexplained =
          "steps in which all records count alike, but those of {} follow groups by their weights",
  };
  const TrainingOptions& options() const override {
    static const TrainingOptions options = all_of(
        {batch_options(), step_options(), clip_options(), loss_bound_options(),
         group_loss_batch_options(), radius_options(), selection_options(), residual_options()});
    return options;
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
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

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    const WorstGroupTerms terms = settle_worst_group("train.ags", plan.config, plan.facts);
    // Every step may follow the same group.
    return reach_of_groups(terms, plan, std::vector<double>(terms.num_groups(), 1.0));
  }

  size_t max_kept(const TrainingPlan& plan) const override { return WeightedRun::max_kept(plan); }
  TrainedModel run(TrainingRun training) const override {
    return run_chosen_groups(std::move(training), is_gumbel(training.plan.config)
                                                      ? GroupRule::kExponentially
                                                      : GroupRule::kLargestLoss);
  }
};

}  // namespace

TrainingMethodRow ags_row() { return method_row<Ags>(); }

}  // namespace equinoise
