// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/train/group_weight_clip.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/tailoring/budget_split.h"
#include "equinoise/train/worst_group/group_sums.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.two_stage";
constexpr double kShareOfLosses = 0.1;  // of the precision of all releases
constexpr size_t kLossItem = 2;
constexpr double kMinMultiplier = 0.01;

/// The number of steps of the first stage: at most all but one, if there are two or more.
int64_t num_first_steps(const TrainingConfig& config) {
  const double share = config.own.of<TwoStageOptions>().first_stage;
  return std::clamp<int64_t>(std::llround(share * static_cast<double>(config.num_steps)), 1,
                             std::max<int64_t>(1, config.num_steps - 1));
}

std::vector<double> weights_by_losses(const TrainingConfig& config, std::span<const double> losses,
                                      std::span<const int64_t> sizes) {
  return weights_of_shares(split_budget(config.own.of<TwoStageOptions>().weights_by, losses, sizes,
                                        default_min_weight(sizes.size())),
                           sizes);
}

/// GroupWeightClip whose weights change once.
class StageClip final : public ClipPolicy {
 public:
  StageClip(double max_grad_norm, size_t num_groups)
      : clips_(num_groups, max_grad_norm), weights_(num_groups, 1), losses_(num_groups, 0) {}

  double bound() const override { return clip_.bound(); }
  size_t num_groups() const override { return weights_.size(); }
  double weight(double norm, GroupId group, double bound) const override {
    return clip_.weight(norm, group, bound);
  }

  void set(std::vector<double> weights, std::vector<double> losses) {
    clip_ = GroupWeightClip(weights, clips_);
    weights_ = std::move(weights);
    losses_ = std::move(losses);
  }

  std::span<const double> group_weights() const override { return weights_; }
  const std::vector<double>& losses() const { return losses_; }  ///< 0 in the first stage

  std::vector<double> state() const override {
    std::vector<double> state = weights_;
    append(state, losses_);
    return state;
  }

  void restore(std::span<const double> state) override {
    if (state.size() != 2 * num_groups())
      throw Error(ErrorKind::kRuntime, kWhere, "the state does not belong to this plan");
    const auto middle = state.begin() + static_cast<ptrdiff_t>(num_groups());
    set({state.begin(), middle}, {middle, state.end()});
  }

 private:
  std::vector<double> clips_;
  std::vector<double> weights_;
  std::vector<double> losses_;
  GroupWeightClip clip_ = {weights_, clips_};
};

/// DP-SGD in two stages: in the first all records have equal weight, then the mean loss of each
/// group is released, and in the second groups are weighted by these losses. Any model.
/// [AlabiWiggins2024, Alg. 1, Sec. 4, App. B]
///
/// Relation: zero_out. Sensitivity of a step, in L2: max_grad_norm in the first stage, the largest
/// weight times that in the second (GroupWeightClip). Sensitivity of the losses' sums over all
/// records, each of one group and clipped to [0, loss_bound]: loss_bound in L2 (GroupSums). Cost:
/// num_steps Poisson batches of one Gaussian of one noise multiplier, one Gaussian on full data
/// between the stages, and those of the means that dpsgd releases. Weights follow from releases,
/// and noise follows the largest weight, so the run is an adaptive composition of Gaussians with
/// public multipliers. Every record is charged for the largest weight, since the losses decide
/// which group has it. Groups and public sizes are not protected. A record's group is protected
/// like its other values.
///
/// Deviations: the second stage starts where the first ended, so that nothing paid for is lost; the
/// paper trains anew. The squares of the weights are shares of split_budget (weights_of_shares),
/// instead of shares of a budget for separate answers about groups, which benefit no group. The
/// errors are mean losses of the trained model. A group's loss differs from that of all records
/// only beyond what noise explains; the paper returns equal shares for all groups if one sum is
/// below 0.
class TwoStage : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "two_stage",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "dpsgd whose later steps weigh groups by their noisy losses after the first ones; any "
          "model",
      .min_groups = 2,
      .is_explained = false,
  };
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(), residual_options(), named(worst_group_options(), {"loss_bound"}),
         TrainingOptions{
             {{.name = "first_stage",
               .help = "Share of the steps before the losses of groups are released, in which all "
                       "records count alike",
               .range = strictly_between(0, 1),
               .section = "Two stages"},
              kOwnTrainingField<&TwoStageOptions::first_stage>},
             {{.name = "weights_by",
               .help =
                   "Rule for the weights of groups in the second stage, whose squares are in "
                   "proportion to: error, the group's mean loss; error_over_size, that over its "
                   "public size; root_error, the root of the mean loss",
               .choices = words_of(kWeightRules),
               .section = "Two stages"},
              kOwnTrainingWord<kWeightRules, &TwoStageOptions::weights_by>}}});
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override {
    return std::make_unique<StageClip>(config.max_grad_norm, facts.num_groups);
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    // Weights from noisy losses multiply the clip later, and the product must stay a valid clip.
    check_interval(kWhere, "max_grad_norm", config.max_grad_norm, 1e-27, 1e27);
    const std::vector<int64_t> sizes = expected_sizes(kWhere, facts.groups, facts.num_records);
    // A single step is all first stage, with no use for losses.
    const int64_t first = num_first_steps(config);
    if (first == config.num_steps) {
      TrainingPlan plan = plan_with_means("two_stage", config, facts);
      plan.notes.emplace_back(
          "one step has no second stage, so that all records count alike, as with dpsgd; use more "
          "--steps");
      return plan;
    }
    const FullRelease losses = {
        "noisy sums of the losses of groups, after the first stage", "",
        [&](double noise_multiplier) {
          // Precisions of Gaussians add up.
          return Event::gaussian(
              std::max(kMinMultiplier, multiplier_of_all_steps(config, facts, noise_multiplier) *
                                           std::sqrt((1 - kShareOfLosses) / kShareOfLosses)));
        },
        sizes.size()};
    TrainingPlan plan = plan_with_means("two_stage", config, facts, {}, losses);
    const double loss_bound = loss_bound_of(config, facts);
    const double multiplier = plan.items[kLossItem].event.noise_multiplier();
    plan.num_first_steps = first;
    plan.noise_follows = "the weights that the first stage gives groups";
    plan.settings.insert(plan.settings.end(),
                         {{"first_steps", static_cast<double>(first)}, {"loss_bound", loss_bound}});
    for (size_t k = 0; k < sizes.size(); ++k) {
      plan.settings.emplace_back(fmt::format("group_loss_noise {}", facts.groups.names[k]),
                                 multiplier * loss_bound / static_cast<double>(sizes[k]));
    }
    return plan;
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    if (plan.num_first_steps == 0) return find_training_method("dpsgd").make()->noise_reach(plan);
    // The weights from the losses are unknown before them: assume that all groups have equal
    // losses.
    const std::vector<int64_t> sizes =
        expected_sizes(kWhere, plan.facts.groups, plan.facts.num_records);
    const std::vector<double> weights =
        weights_by_losses(plan.config, std::vector<double>(sizes.size(), 1), sizes);
    const auto largest = std::ranges::max_element(weights);
    const double noise = plan.noise_stddev / plan.config.batch_size;
    return reach_of_noise(
        plan.config, {*largest * noise, noise},
        fmt::format("a record of group {} may count {:.3g} times",
                    plan.facts.groups.names[static_cast<size_t>(largest - weights.begin())],
                    *largest));
  }

  TrainedModel run(TrainingRun training) const override {
    if (training.plan.num_first_steps == 0)
      return find_training_method("dpsgd").make()->run(std::move(training));
    start_at_mean(training);
    const EncodedTable& table = training.table;
    const TrainingPlan& plan = training.plan;
    RandomSource& source = training.source;
    const std::vector<int64_t> sizes =
        expected_sizes(kWhere, plan.facts.groups, plan.facts.num_records);
    const double multiplier = plan.items.at(kLossItem).event.noise_multiplier();
    GroupSumScales scales;
    scales.loss_bound = loss_bound_of(plan.config, plan.facts);
    scales.loss_grid =
        grid_of_sum(scales.loss_bound, scales.loss_bound * multiplier, plan.facts.num_records);
    const GroupSums sums(table, training.model, sizes.size(), scales, plan.config.threads);
    StageClip clip(plan.config.max_grad_norm, sizes.size());
    const int64_t first = plan.num_first_steps;

    const auto weigh = [&](int64_t step, std::span<const double> parameters, Charge& charge) {
      if (step != first) return;
      // A stream used neither by a step nor by any other single release.
      source.start_step(static_cast<uint64_t>(plan.config.num_steps) + 2);
      std::vector<int64_t> units(sizes.size());
      sums.compute(RowBatches(table).all(), parameters, {}, {}, units);
      // The grid is a power of two, so the quotient is exact.
      const double reach = scales.loss_bound / scales.loss_grid;
      add_gaussian_noise(charge.take(kLossItem), Sensitivity(reach, Norm::kL2, Relation::kZeroOut),
                         units, source);
      std::vector<double> losses;
      for (size_t k = 0; k < units.size(); ++k) {
        losses.push_back(static_cast<double>(units[k]) * scales.loss_grid /
                         static_cast<double>(sizes[k]));
      }
      clip.set(weights_by_losses(plan.config,
                                 losses_beyond_noise(losses, sizes, multiplier * scales.loss_bound),
                                 sizes),
               losses);
    };
    TrainedModel trained = run_noisy_loop(std::move(training), clip, weigh);
    const std::vector<double> weights(clip.group_weights().begin(), clip.group_weights().end());
    trained.group_path = {{first, std::vector<double>(sizes.size(), 1), clip.losses()},
                          {first + 1, weights, {}}};
    if (first + 1 < plan.config.num_steps)
      trained.group_path.push_back({plan.config.num_steps, weights, {}});
    return trained;
  }
};

}  // namespace

TrainingMethodRow two_stage_row() { return method_row<TwoStage>(); }

}  // namespace equinoise
