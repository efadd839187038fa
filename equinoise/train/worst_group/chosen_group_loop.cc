// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/chosen_group_loop.h"

#include <algorithm>

#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/mechanisms/laplace_sum.h"
#include "equinoise/privacy/random/uniform.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/worst_group/group_sums.h"
#include "equinoise/train/worst_group/group_weights.h"
#include "equinoise/train/worst_group/weighted_run.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

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

}  // namespace

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

}  // namespace equinoise
