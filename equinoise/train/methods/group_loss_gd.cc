// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/tailoring/group_budgets.h"
#include "equinoise/train/tailoring/group_loss_descent.h"
#include "equinoise/train/tailoring/tailoring_options.h"

namespace equinoise {

namespace {

/// Exact means of groups. NOT private.
class ExactAnswers final : public GroupAnswers {
 public:
  ExactAnswers(const EncodedTable& table, const Model& model, std::vector<int64_t> group_sizes)
      : table_(table), model_(model), group_sizes_(std::move(group_sizes)) {}

  /// Sets the records and parameters of the next answers.
  void look(std::span<const uint32_t> records, std::span<const double> parameters) {
    const size_t num_parameters = parameters.size();
    gradients_.assign(group_sizes_.size() * num_parameters, 0.0);
    losses_.assign(group_sizes_.size(), 0.0);
    const std::vector<double> losses = model_.predict(table_, parameters).loss;
    PerSample samples;
    std::vector<double> weights;
    while (!records.empty()) {
      const std::span<const uint32_t> tile =
          records.first(std::min(records.size(), model_.max_tile_records()));
      records = records.subspan(tile.size());
      model_.per_sample({table_, tile}, parameters, samples);
      for (size_t k = 0; k < group_sizes_.size(); ++k) {
        weights.assign(tile.size(), 0.0);
        for (size_t i = 0; i < tile.size(); ++i) {
          if (table_.contributes[tile[i]] == 0 || index_of(table_.groups[tile[i]]) != k) continue;
          if (std::isfinite(samples.squared_norm[i])) weights[i] = 1;
          if (std::isfinite(losses[tile[i]])) losses_[k] += losses[tile[i]];
        }
        model_.add_weighted_sum({table_, tile}, samples, weights,
                                std::span(gradients_).subspan(k * num_parameters, num_parameters));
      }
    }
  }

  size_t num_features() const override { return model_.num_parameters(); }
  std::span<const int64_t> group_sizes() const override { return group_sizes_; }

  void gradient_mean(size_t group, std::span<const double>, double,
                     std::span<double> answer) override {
    for (size_t j = 0; j < answer.size(); ++j)
      answer[j] = gradients_[group * answer.size() + j] / static_cast<double>(group_sizes_[group]);
  }

  double loss_mean(size_t group, std::span<const double>, double) override {
    return losses_[group] / static_cast<double>(group_sizes_[group]);
  }

 private:
  const EncodedTable& table_;
  const Model& model_;
  std::vector<int64_t> group_sizes_;
  std::vector<double> gradients_;  ///< (groups, parameters) sums
  std::vector<double> losses_;     ///< (groups) sums
};

/// Gradient descent under bounded group loss without clipping and noise, on all records: dpse's
/// reference. NOT private. [AlabiWiggins2024, Alg. 5 and 6]
///
/// Deviations: those of ask_group_step; G is in the gradients, where the paper omits it; steps are
/// those of the run's optimizer, and the model is the mean of the last iterates.
class GroupLossDescent : public TrainingMethod {
 public:
  static TrainingOptions declared_options() {
    return all_of(
        {step_options(), named(group_loss_options(), {"group_loss_multiplier", "group_loss_bound",
                                                      "group_constraint", "group_objective"})});
  }

  /// Errors: kUsage if epsilon, a noise multiplier or several objectives or multipliers are given.

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    const std::string where = fmt::format("train.{}", traits().name);
    TrainingPlan plan = plan_full_batches(where, traits().name, config, facts, config.num_steps);
    const GroupBudgets budgets(config, facts);
    if (budgets.chooses()) {
      throw Error(ErrorKind::kUsage, where,
                  "{} does not choose among several values: give one objective and one "
                  "multiplier",
                  traits().name);
    }
    plan.settings = function_settings("group", budgets.goals()[0].objective);
    plan.settings.emplace_back("group_loss_multiplier", budgets.goals()[0].loss_multiplier);
    plan.settings.emplace_back("group_loss_bound", config.own.of<TailoringOptions>().loss_bound);
    return plan;
  }

  TrainedModel run(TrainingRun training) const override {
    const TrainingConfig& config = training.plan.config;
    const GroupBudgets budgets(config, training.plan.facts);
    const GroupGoal goal = budgets.goals()[0];
    const size_t num_groups = budgets.sizes().size();
    GroupLossConfig loss = budgets.followed(goal);
    loss.group_rho.assign(num_groups, std::numeric_limits<double>::infinity());
    ExactAnswers answers(training.table, training.model, budgets.sizes());
    std::vector<double> direction;
    auto step = static_cast<double>(training.start.num_steps_done);
    const PlainSum sum_of = [&](std::span<const uint32_t> batch,
                                std::span<const double> parameters) {
      answers.look(batch, parameters);
      direction = ask_group_step(answers, loss, config.num_steps, parameters).direction;
      const double length =
          steps_shrink_
              ? std::sqrt(static_cast<double>(num_groups) / (step + 1)) / (1 + goal.loss_multiplier)
              : 1;
      for (double& entry : direction) entry *= length * config.batch_size;
      ++step;
      return std::span<const double>(direction);
    };
    NoClip clip;
    return run_plain_loop(std::move(training), clip, sum_of);
  }

 protected:
  explicit GroupLossDescent(bool steps_shrink) : steps_shrink_(steps_shrink) {}

 private:
  bool steps_shrink_;
};

/// Step t has sqrt(groups) / ((1 + G) sqrt(t)) times the learning rate.
class DpseAlg5 : public GroupLossDescent {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_alg5",
      .status = PrivacyStatus::kNotPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "gradient descent under bounded group loss with decreasing steps, the non-private "
          "reference of dpse",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models = "trains linear and logistic models, got {}",
      .private_form = "dpse",
  };
  DpseAlg5() : GroupLossDescent(true) {}
};

/// Every step has the learning rate; the paper's is 1 / (beta_f + G beta_g) for smooth losses.
class DpseAlg6 : public GroupLossDescent {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_alg6",
      .status = PrivacyStatus::kNotPrivate,
      .source = "AlabiWiggins2024",
      .summary = "gradient descent under bounded group loss with constant steps, for smooth losses",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models = "trains linear and logistic models, got {}",
      .private_form = "dpse",
  };
  DpseAlg6() : GroupLossDescent(false) {}
};

}  // namespace

TrainingMethodRow dpse_alg5_row() { return method_row<DpseAlg5>(); }
TrainingMethodRow dpse_alg6_row() { return method_row<DpseAlg6>(); }

}  // namespace equinoise
