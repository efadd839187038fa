// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/group_loss_gd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
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
      model_.per_sample(table_, tile, parameters, samples);
      for (size_t k = 0; k < group_sizes_.size(); ++k) {
        weights.assign(tile.size(), 0.0);
        for (size_t i = 0; i < tile.size(); ++i) {
          if (table_.contributes[tile[i]] == 0 || index_of(table_.groups[tile[i]]) != k) continue;
          if (std::isfinite(samples.squared_norm[i])) weights[i] = 1;
          if (std::isfinite(losses[tile[i]])) losses_[k] += losses[tile[i]];
        }
        model_.add_weighted_sum(table_, tile, samples, weights,
                                std::span(gradients_).subspan(k * num_parameters, num_parameters));
      }
    }
  }

  size_t num_features() const override { return model_.num_parameters(); }
  std::span<const int64_t> group_sizes() const override { return group_sizes_; }
  AnswerBounds bounds() const override {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    return {Relation::kZeroOut, kNone, kNone};
  }
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

}  // namespace

TrainingPlan GroupLossDescent::make_plan(const TrainingConfig& config,
                                         const TrainingFacts& facts) const {
  const std::string where = fmt::format("train.{}", traits().name);
  TrainingPlan plan{std::string(traits().name), config, facts};
  plan.config.batch_size = static_cast<double>(facts.num_records);
  check_training_config(where, plan.config, facts);
  const GroupBudgets budgets(config, facts);
  if (budgets.chooses()) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} does not choose among several values: give one objective and one "
                            "multiplier",
                            traits().name));
  }
  plan.sample_rate = 1;
  plan.settings = function_settings("group", budgets.goals()[0].objective);
  plan.settings.emplace_back("group_loss_multiplier", budgets.goals()[0].loss_multiplier);
  plan.settings.emplace_back("group_loss_bound", config.own.of<TailoringOptions>().loss_bound);
  return plan;
}

TrainedModel GroupLossDescent::run(TrainingRun training) const {
  const TrainingConfig& config = training.plan.config;
  const GroupBudgets budgets(config, training.plan.facts);
  const GroupGoal goal = budgets.goals()[0];
  const size_t num_groups = budgets.sizes().size();
  GroupLossConfig loss = budgets.followed(goal);
  loss.group_rho.assign(num_groups, std::numeric_limits<double>::infinity());
  ExactAnswers answers(training.table, training.model, budgets.sizes());
  std::vector<double> direction;
  auto step = static_cast<double>(training.start.num_steps_done);
  const PlainSum sum_of = [&](std::span<const uint32_t> batch, std::span<const double> parameters) {
    answers.look(batch, parameters);
    direction = ask_group_step(answers, loss, config.num_steps, parameters).direction;
    const double length = steps_shrink_ ? std::sqrt(static_cast<double>(num_groups) / (step + 1)) /
                                              (1 + goal.loss_multiplier)
                                        : 1;
    for (double& entry : direction) entry *= length * config.batch_size;
    ++step;
    return std::span<const double>(direction);
  };
  NoClip clip;
  return run_plain_loop(std::move(training), clip, sum_of);
}

const TrainingOptions& GroupLossDescent::options() const {
  static const TrainingOptions options =
      all_of({step_options(), group_loss_options(), group_constraint_options(),
              group_objective_options()});
  return options;
}

}  // namespace equinoise
