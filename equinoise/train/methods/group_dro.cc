// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/train/gradient_sums.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/worst_group/group_weights.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.group_dro";

double group_learning_rate(const TrainingConfig& config, const TrainingFacts& facts) {
  const auto& own = config.own.of<WorstGroupOptions>();
  const auto num_groups = static_cast<double>(facts.num_groups);
  const auto num_steps = static_cast<double>(std::max<int64_t>(config.num_steps, 1));
  return own.group_learning_rate.value_or(std::sqrt(8 * std::log(num_groups) / num_steps) /
                                          loss_bound_of(config, facts));
}

/// Weight lambda_g N / n_g for a record of group g.
class GroupDroWeights final : public ClipPolicy {
 public:
  GroupDroWeights(const EncodedTable& table, const TrainingConfig& config,
                  const TrainingFacts& facts)
      : rate_(group_learning_rate(config, facts)),
        lambda_(facts.num_groups, 1 / static_cast<double>(facts.num_groups)),
        losses_(facts.num_groups, 0.0),
        inverse_shares_(facts.num_groups, 0.0) {
    for (size_t row = 0; row < table.groups.size(); ++row) {
      const size_t group = index_of(table.groups[row]);
      if (group < lambda_.size())
        inverse_shares_[group] += static_cast<double>(table.count_of(row));
    }
    for (double& size : inverse_shares_)
      if (size > 0) size = static_cast<double>(facts.num_records) / size;
  }

  double bound() const override { return std::numeric_limits<double>::infinity(); }
  size_t num_groups() const override { return lambda_.size(); }
  double weight(double, GroupId group, double) const override {
    return lambda_[index_of(group)] * inverse_shares_[index_of(group)];
  }

  /// Receives the mean losses of a batch; NaN for a group that the batch lacks, whose last loss is
  /// used again.
  void take_losses(std::span<const double> losses) {
    for (size_t k = 0; k < losses.size(); ++k)
      if (!std::isnan(losses[k])) losses_[k] = losses[k];
    multiply_weights(rate_, losses_, lambda_);
  }

  std::vector<double> state() const override {
    std::vector<double> state = lambda_;
    append(state, losses_);
    return state;
  }

  void restore(std::span<const double> state) override {
    const size_t k = lambda_.size();
    if (state.size() != 2 * k)
      throw Error(ErrorKind::kRuntime, kWhere, "the state does not belong to this plan");
    lambda_.assign(state.begin(), state.begin() + static_cast<ptrdiff_t>(k));
    losses_.assign(state.begin() + static_cast<ptrdiff_t>(k), state.end());
  }

 private:
  double rate_;
  std::vector<double> lambda_;
  std::vector<double> losses_;
  std::vector<double> inverse_shares_;  // N / n_g; 0 for an empty group
};

/// The mean loss of each group in a batch, each record's clamped to [0, loss_bound]; NaN for a
/// group that the batch lacks.
std::vector<double> group_losses(const EncodedTable& table, const Model& model, double loss_bound,
                                 size_t num_groups, std::span<const uint32_t> batch,
                                 std::span<const double> parameters) {
  std::vector<double> sums(num_groups, 0.0);
  std::vector<double> counts(num_groups, 0.0);
  PerSample samples;
  std::vector<double> losses;
  while (!batch.empty()) {
    const auto tile = batch.first(std::min(batch.size(), model.max_tile_records()));
    losses.resize(tile.size());
    model.score({table, tile}, parameters, samples);
    model.losses({table, tile}, samples, losses);
    for (size_t i = 0; i < tile.size(); ++i) {
      const size_t k = index_of(table.groups[tile[i]]);
      if (table.contributes[tile[i]] == 0 || k >= num_groups || !std::isfinite(losses[i])) continue;
      sums[k] += std::clamp(losses[i], 0.0, loss_bound);
      ++counts[k];
    }
    batch = batch.subspan(tile.size());
  }

  for (size_t k = 0; k < num_groups; ++k) sums[k] /= counts[k];
  return sums;
}

/// Training for the largest mean loss of any group, without clipping and noise: the NON-PRIVATE
/// reference of mgr_w. Each step follows the sum over groups of lambda_g times the group's mean
/// gradient; lambda grows with the mean losses of groups in the same batch. Sizes of groups are
/// those of the table. [SagawaEtAl2020, Alg. 1]
///
/// Deviation: a step uses a Poisson batch of all records instead of one record from a drawn group.
/// A group that the batch lacks counts with its last loss, and losses are bounded.
class GroupDro : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "group_dro",
      .status = PrivacyStatus::kNotPrivate,
      .source = "SagawaEtAl2020",
      .summary =
          "training that lowers the largest loss of any group without clipping and noise, the "
          "non-private reference of mgr_w, mgr and ags",
      .min_groups = 2,
      .compares_groups = true,
      .reference = "group_dro",
      .private_form = "mgr_w",
  };
  static TrainingOptions declared_options() {
    return all_of({batch_options(), step_options(),
                   named(worst_group_options(), {"loss_bound", "group_learning_rate"})});
  }

  /// Errors: kUsage if epsilon or a noise multiplier is given, or there are fewer than two groups.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_without_guarantee("group_dro", config, facts);
    plan.settings = {{"loss_bound", loss_bound_of(config, facts)},
                     {"group_learning_rate", group_learning_rate(config, facts)}};
    return plan;
  }

  size_t max_kept(const TrainingPlan& plan) const override { return 2 * plan.facts.num_groups; }
  TrainedModel run(TrainingRun training) const override {
    const TrainingConfig& config = training.plan.config;
    const size_t num_groups = training.plan.facts.num_groups;
    const double loss_bound = loss_bound_of(config, training.plan.facts);
    const EncodedTable& table = training.table;
    const Model& model = training.model;
    require_groups(kWhere, table);
    GroupDroWeights weights(table, config, training.plan.facts);
    std::vector<double> sum;
    const auto sum_of = [&](std::span<const uint32_t> batch, std::span<const double> parameters) {
      sum = sum_gradients(table, num_groups, model, parameters, weights, batch, 1).clipped;
      const std::span<const double> scales = model.step_scales();
      for (size_t j = 0; j < scales.size(); ++j) sum[j] *= scales[j];
      weights.take_losses(group_losses(table, model, loss_bound, num_groups, batch, parameters));
      return std::span<const double>(sum);
    };
    return run_plain_loop(std::move(training), weights, sum_of);
  }
};

}  // namespace

TrainingMethodRow group_dro_row() { return method_row<GroupDro>(); }

}  // namespace equinoise
