// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
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

constexpr const char* kWhere = "train.mgr_w";

/// Multiplicative group reweighting on Poisson batches of all records: each step follows the sum
/// over groups of lambda_g times the mean gradient of the group, and lambda grows with the noisy
/// losses of the same batch. [ZhouBassily2024, Alg. 3, changed]
///
/// Relation: zero_out. Sensitivity, in L2 (GroupSums): max_grad_norm for the sum of clipped
/// gradients, each times its group's weight over the largest; loss_bound for the sums of losses.
/// Cost: num_steps Poisson batches with both Gaussians, which together are one of multiplier
/// (s_g^-2 + s_l^-2)^-1/2: an ordinary account of DP-SGD, loss_share of whose precision goes to
/// losses. It holds for every record, whatever its group, because weights follow released losses
/// only. A record's group is protected like its other values; public sizes are not.
///
/// The mean residual that a number's intercept absorbs is weighted by lambda (WeightedRun), since
/// the model aims at the largest loss of a group, at which the mean over all records is not 0. It
/// is one more Gaussian, in the plan.
///
/// Deviation: the printed algorithm draws one group per step, with a separate batch, and uses the
/// losses of all records. Here a step uses the whole batch and no other record. The noise per step
/// is that of DP-SGD if weights are even, and at the other extreme that of training on one group
/// alone.
class MgrW : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = traits_of_weighted(
      "mgr_w",
      "training that lowers the largest loss of any group, on batches of all records with "
      "groups weighted by noisy losses");
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(),
                   named(worst_group_options(), {"loss_bound", "group_learning_rate", "loss_share",
                                                 "group_batch_size", "pool_below", "radius"}),
                   residual_options()});
  }

  TrainingConfig slower(TrainingConfig config, const TrainingFacts& facts,
                        double factor) const override {
    slow_group_weights(kWhere, facts, factor, config);
    return TrainingMethod::slower(std::move(config), facts, factor);
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    const WorstGroupTerms terms = settle_worst_group(kWhere, config, facts);
    const NoiseSplit split = split_noise(1, config.own.of<WorstGroupOptions>().loss_share);
    SideRelease losses;
    losses.name = "group_loss";
    losses.size = terms.num_groups();
    losses.noise_ratio = split.loss / split.gradient;
    TrainingPlan plan = plan_noisy_gradients("mgr_w", terms.config, facts, losses, {}, {},
                                             residuals_of_groups(terms, facts));
    plan.items[0].label = "noisy sums of weighted gradients and of losses of groups";
    plan.config = terms.config;
    add_worst_group_settings(terms, facts, plan.side_noise_stddev, plan.sample_rate, plan);
    return plan;
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    const WorstGroupTerms terms = settle_worst_group(kWhere, plan.config, plan.facts);
    std::vector<double> parts;
    for (const int64_t size : terms.sizes) {
      parts.push_back(weight_by_noise(terms, plan.side_noise_stddev * terms.loss_bound /
                                                 (plan.sample_rate * static_cast<double>(size))));
    }
    return reach_of_groups(terms, plan, parts);
  }

  size_t max_kept(const TrainingPlan& plan) const override { return WeightedRun::max_kept(plan); }
  TrainedModel run(TrainingRun training) const override {
    const TrainingConfig& config = training.plan.config;
    const WorstGroupTerms terms = settle_worst_group(kWhere, config, training.plan.facts);
    const double loss_bound = terms.loss_bound;
    const GroupSumScales scales = {
        config.max_grad_norm, training.plan.grid, loss_bound,
        grid_of_sum(loss_bound, loss_bound * training.plan.side_noise_stddev,
                    training.plan.facts.num_records)};
    const GroupSums sums(training.table, training.model, terms.num_groups(), scales,
                         config.threads);
    const FlatClip clip(config.max_grad_norm);
    WeightedRun run(training);
    RowBatches batches(training.table);
    std::vector<int64_t> gradient(training.model.num_parameters());
    std::vector<int64_t> loss_units(terms.num_groups());
    std::vector<double> factors(terms.num_groups());
    std::vector<double> losses(terms.num_groups());
    while (!run.done()) {
      training.source.start_step(static_cast<uint64_t>(run.step()));
      BatchPermit permit = training.charge.next_batch(0);
      const CountedRecords batch = batches.draw({&permit, 1}, training.source);
      // a_g = lambda_g / (rate n_g), divided by the largest, which scales sum and noise equally.
      std::vector<double> weights(run.lambda().begin(), run.lambda().end());
      double largest = 0;
      for (size_t k = 0; k < factors.size(); ++k) {
        factors[k] = weights[k] / (training.plan.sample_rate * static_cast<double>(terms.sizes[k]));
        largest = std::max(largest, factors[k]);
      }
      for (double& factor : factors) factor = std::min(factor / largest, 1.0);
      sums.compute(batch, run.parameters(), factors, gradient, loss_units);
      training.observer.on_batch(
          {run.step(), batch, run.parameters(), clip, gradient, training.plan.grid});
      // Grids are powers of two, so the quotients are exact.
      const double reach =
          add_up(config.max_grad_norm, training.model.sum_error(training.plan.grid)) /
          training.plan.grid;
      add_gaussian_noise(permit.take(0), Sensitivity(reach, Norm::kL2, Relation::kZeroOut),
                         gradient, training.source);
      add_gaussian_noise(
          permit.take(1),
          Sensitivity(scales.loss_bound / scales.loss_grid, Norm::kL2, Relation::kZeroOut),
          loss_units, training.source);
      for (size_t k = 0; k < losses.size(); ++k) {
        losses[k] = static_cast<double>(loss_units[k]) * scales.loss_grid /
                    (training.plan.sample_rate * static_cast<double>(terms.sizes[k]));
      }
      multiply_weights(terms.group_learning_rate, losses, run.lambda());
      run.update(gradient, training.plan.grid * largest, weights, losses);
    }
    return std::move(run).result();
  }
};

}  // namespace

TrainingMethodRow mgr_w_row() { return method_row<MgrW>(); }

}  // namespace equinoise
