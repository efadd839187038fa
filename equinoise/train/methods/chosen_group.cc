// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/mechanisms/laplace_sum.h"
#include "equinoise/privacy/random/uniform.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/worst_group/group_sums.h"
#include "equinoise/train/worst_group/group_weights.h"
#include "equinoise/train/worst_group/weighted_run.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

/// The rule by which a step chooses the group whose gradient it follows.
enum class GroupRule {
  kWeights,       ///< at random by weights that grow with noisy losses; events: gaussian losses
  kLargestLoss,   ///< the largest of noisy losses; events: laplace losses
  kExponentially  ///< with Pr ~ exp(loss / scale), of losses that are not released; events:
                  ///< exponential
};

/// Answers the question of each step about all records.
class LossAnswers {
 public:
  LossAnswers(const GroupSums& sums, const WorstGroupTerms& terms, const EncodedTable& table)
      : sums_(sums), terms_(terms), rows_(table) {}

  /// (groups) the noisy means.
  std::vector<double> noisy(Permit permit, std::span<const double> parameters,
                            RandomSource& source) {
    std::vector<int64_t> units = sums(parameters);
    const GroupSumScales& scales = sums_.scales();
    const double reach = scales.loss_bound / scales.loss_grid;
    if (permit.event().kind() == Event::Kind::kLaplace) {
      add_laplace_noise(std::move(permit), Sensitivity(reach, Norm::kL1, Relation::kZeroOut), units,
                        source);
    } else {
      add_gaussian_noise(std::move(permit), Sensitivity(reach, Norm::kL2, Relation::kZeroOut),
                         units, source);
    }
    std::vector<double> means;
    for (size_t k = 0; k < units.size(); ++k) {
      means.push_back(static_cast<double>(units[k]) * scales.loss_grid /
                      static_cast<double>(terms_.sizes[k]));
    }
    return means;
  }

  /// Chooses a group, with larger mean losses more likely.
  size_t choose(Permit permit, std::span<const double> parameters, RandomSource& source) {
    std::vector<int64_t> scores = sums(parameters);
    // Means times the least size: a score changes by at most a record's part of a sum, up to a unit
    // for truncation and one for the rounding of the product.
    const auto smallest = static_cast<double>(terms_.smallest());
    for (size_t k = 0; k < scores.size(); ++k) {
      scores[k] = static_cast<int64_t>(static_cast<double>(scores[k]) *
                                       (smallest / static_cast<double>(terms_.sizes[k])));
    }
    const double reach = sums_.scales().loss_bound / sums_.scales().loss_grid + 2;
    // Only one score changes, so that all changes lie in an interval as wide as one of them.
    return choose_exponentially(
        std::move(permit), Sensitivity(reach / 2, Norm::kMax, Relation::kZeroOut), scores, source);
  }

 private:
  std::vector<int64_t> sums(std::span<const double> parameters) {
    std::vector<int64_t> units(terms_.num_groups());
    sums_.compute(rows_.all(), parameters, {}, {}, units);
    return units;
  }

  const GroupSums& sums_;
  const WorstGroupTerms& terms_;
  RowBatches rows_;
};

/// Steps along one group's noisy gradient each, for a plan of plan_chosen_groups: the mean over a
/// Poisson batch of the group.
///
/// Relation: zero_out. Sensitivity: max_grad_norm for the sum of the batch, loss_bound for the sums
/// of losses over all records (GroupSums); one score of a choice changes, by loss_bound over the
/// least size. Cost: item 0 of the charge, which has for every step a Poisson batch at the plan's
/// rate and the release that selects the group; the last item is WeightedRun's. Drawing a group
/// amplifies nothing: weights are released and may be 1 for a group. The batch is drawn from all
/// records, and those of other groups are left out, so that it is a Poisson batch of the group; its
/// members pay the cost of the plan whether or not their group is drawn. Edge cases: an empty batch
/// is a noise-only step. Normaliser: the rate times the group's public size. Result independent of
/// the number of threads.
TrainedModel run_chosen_groups(TrainingRun training, GroupRule rule) {
  const TrainingConfig& config = training.plan.config;
  const WorstGroupTerms terms =
      settle_worst_group("train.worst_group", config, training.plan.facts);
  const double loss_bound = terms.loss_bound;
  // Scores of a choice have no noise that would set the grid, and are rounded again in a product.
  const double grid = rule == GroupRule::kExponentially
                          ? power_of_two_below(loss_bound * 0x1p-20)
                          : grid_of_sum(loss_bound, loss_bound * training.plan.side_noise_stddev,
                                        training.plan.facts.num_records);
  const GroupSums sums(training.table, training.model, terms.num_groups(),
                       {config.max_grad_norm, training.plan.grid, loss_bound, grid},
                       config.threads);
  LossAnswers losses(sums, terms, training.table);
  const FlatClip clip(config.max_grad_norm);
  const std::vector<double> ones(terms.num_groups(), 1.0);
  WeightedRun run(training);
  RowBatches batches(training.table);
  std::vector<int64_t> gradient(training.model.num_parameters());
  while (!run.done()) {
    training.source.start_step(static_cast<uint64_t>(run.step()));
    StepPermit permits = training.charge.next_step(0);
    std::vector<double> noisy;
    size_t group = 0;
    if (rule == GroupRule::kExponentially) {
      group = losses.choose(permits.take(1), run.parameters(), training.source);
    } else {
      noisy = losses.noisy(permits.take(1), run.parameters(), training.source);
      if (rule == GroupRule::kWeights)
        group = choose_by_weight(run.lambda(), uniform_fraction(training.source));
      else
        group = static_cast<size_t>(std::ranges::max_element(noisy) - noisy.begin());
    }
    BatchPermit batch_permit = permits.batch(0);
    const CountedBatch members =
        sums.of_group(group, batches.draw({&batch_permit, 1}, training.source));
    sums.compute(members.view(), run.parameters(), ones, gradient, {});
    training.observer.on_batch(
        {run.step(), members.view(), run.parameters(), clip, gradient, training.plan.grid});
    // The grid is a power of two, so the quotient is exact.
    const double reach =
        add_up(config.max_grad_norm, training.model.sum_error(training.plan.grid)) /
        training.plan.grid;
    add_gaussian_noise(batch_permit.take(0), Sensitivity(reach, Norm::kL2, Relation::kZeroOut),
                       gradient, training.source);
    const double expected = training.plan.sample_rate * static_cast<double>(terms.sizes[group]);
    std::vector<double> weights(terms.num_groups(), 0.0);
    weights[group] = 1;
    if (rule == GroupRule::kWeights) {
      weights.assign(run.lambda().begin(), run.lambda().end());
      multiply_weights(terms.group_learning_rate, noisy, run.lambda());
    }
    run.update(gradient, training.plan.grid / expected, weights, noisy);
  }
  return std::move(run).result();
}

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
  static constexpr MethodTraits kTraits = traits_of_weighted(
      "mgr", "mgr_w with a single group in each step, drawn by its weight; mgr_w is better");
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(),
                   named(worst_group_options(), {"loss_bound", "group_learning_rate", "loss_share",
                                                 "group_batch_size", "pool_below", "radius"}),
                   residual_options()});
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
  static constexpr MethodTraits kTraits = traits_of_weighted(
      "ags",
      "mgr_w with a single group of large loss in each step, chosen privately; mgr_w is better");
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(),
                   named(worst_group_options(), {"loss_bound", "loss_share", "group_batch_size",
                                                 "pool_below", "radius", "selection"}),
                   residual_options()});
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

TrainingMethodRow mgr_row() { return method_row<Mgr>(); }
TrainingMethodRow ags_row() { return method_row<Ags>(); }

}  // namespace equinoise
