// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/residual_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "equinoise/train/worst_group/group_path.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::residual_mean_test {

constexpr int64_t kRecords = 8000;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
const std::vector<std::string> kThatClip = {
    "dpsgd",     "dpnose",    "dpsgd_global",   "dpsgd_f", "balanced", "dpsgd_global_adapt",
    "decoupled", "two_stage", "group_weighted", "dpse"};

/// Most targets are 0; those of a tenth of group a, and of a fifth of group b, which is a quarter
/// of all records, are 10. Their mean is 1.25.
EncodedTable skewed_table(int64_t num_records = kRecords) {
  EncodedTable table = testing::mixed_table(num_records, 7);
  table.labels.clear();
  table.classes.clear();
  for (int64_t i = 0; i < num_records; ++i) {
    const bool is_b = i % 4 == 0;
    table.groups.push_back(GroupId(is_b ? 1 : 0));
    table.targets.push_back(i / 4 % (is_b ? 5 : 10) == 0 ? 10 : 0);
  }
  return table;
}

TrainingFacts facts_of(int64_t num_records, size_t num_parameters = 11) {
  TrainingFacts facts{num_records, num_parameters};
  facts.num_groups = 2;
  facts.groups = {"group", {"a", "b"}, {0.75, 0.25}};
  facts.model = "linear";
  facts.row_norm = 2;
  facts.target = {1, 3, 0, 10};
  return facts;
}

TrainingConfig config_of(double epsilon) {
  TrainingConfig config = testing::budget_config(epsilon);
  config.num_steps = 300;
  config.learning_rate = config.final_learning_rate = 0.2;
  return config;
}

struct Outcome {
  TrainingPlan plan;
  std::vector<double> parameters;
  TrainedModel trained;
  TrainingState last;

  /// Mean target less mean prediction, of the records of one group or of all.
  double mean_residual(const EncodedTable& table, const Model& model, int group = -1) const {
    const Predictions predictions = model.predict(table, parameters);
    double sum = 0;
    double count = 0;
    for (size_t i = 0; i < table.targets.size(); ++i) {
      if (group >= 0 && index_of(table.groups[i]) != static_cast<uint32_t>(group)) continue;
      sum += static_cast<double>(table.targets[i]) - std::clamp(predictions.outputs[i], 0.0, 10.0);
      ++count;
    }
    return sum / count;
  }
};

std::unique_ptr<Model> model_of(const TrainingMethod& method, const EncodedTable& table) {
  auto model = std::make_unique<LinearModel>(table.feature_names);
  if (!method.traits().has_model_per_group) return model;
  return make_per_group(std::move(model), {"a", "b"}, {0.75, 0.25});
}

Outcome run(const std::string& name, const EncodedTable& table, const TrainingConfig& config,
            std::optional<TrainingState> from = {}) {
  const std::unique_ptr<TrainingMethod> method = find_training_method(name).make();
  const std::unique_ptr<Model> model = model_of(*method, table);
  Outcome outcome{
      method->plan(config, facts_of(table.num_units(), model->num_parameters())), {}, {}, {}};
  class Last final : public StepObserver {
   public:
    void on_step(const StepView& view) override { state = view.state; }
    TrainingState state;
  } observer;
  SeededSource source(3);
  TrainingState start =
      from.value_or(TrainingState::start(std::vector<double>(model->num_parameters(), 0.0)));
  outcome.trained = method->run({table, *model, outcome.plan, std::move(start),
                                 Charge::unpaid(outcome.plan.events(), Relation::kZeroOut, source),
                                 source, observer});
  outcome.parameters = outcome.trained.parameters;
  outcome.last = observer.state;
  return outcome;
}

TrainingConfig without(TrainingConfig config) {
  config.own.of<ResidualOptions>().residual_share = 0;
  return config;
}

/// What every method that clips leaves of a skewed number, and what is left of that.
TEST(ResidualMean, IsTakenUpByTheInterceptOfEveryMethodThatClips) {
  const EncodedTable table = skewed_table();
  for (const std::string& name : kThatClip) {
    const std::unique_ptr<Model> model = model_of(*find_training_method(name).make(), table);
    TrainingConfig config = config_of(8);
    if (name == "dpsgd_global" || name == "dpsgd_global_adapt")
      config.own.of<StrictBoundOptions>().strict_bound = 5;
    const Outcome before = run(name, table, without(config));
    const Outcome after = run(name, table, config);
    EXPECT_EQ(before.plan.residual_noise_multiplier, 0) << name;
    EXPECT_GT(after.plan.residual_noise_multiplier, 0) << name;
    EXPECT_LE(after.plan.privacy->epsilon.value(), 8) << name;
    EXPECT_EQ(after.last.average, after.parameters) << name;
    // Nothing is left to draw after the last state.
    EXPECT_EQ(run(name, table, config, after.last).parameters, after.parameters) << name;
    // One weighs groups otherwise; the clip of the other is as wide as gradients are.
    if (name == "balanced") continue;
    if (name != "dpsgd_global_adapt") {
      EXPECT_GT(before.mean_residual(table, *model), 0.4) << name;
    }
    EXPECT_NEAR(after.mean_residual(table, *model), 0, 0.2) << name;
  }
}

TEST(ResidualMean, IsOfEachModelWhereGroupsHaveOne) {
  const EncodedTable table = skewed_table();
  const std::unique_ptr<Model> model = model_of(*find_training_method("decoupled").make(), table);
  const Outcome after = run("decoupled", table, config_of(8));
  for (const int group : {0, 1})
    EXPECT_NEAR(after.mean_residual(table, *model, group), 0, 0.3) << group;
}

/// The weights of a method decide what mean is 0.
TEST(ResidualMean, IsWeightedAsLossesAre) {
  const EncodedTable table = skewed_table();
  const LinearModel model(table.feature_names);
  const Outcome after = run("balanced", table, config_of(8));
  EXPECT_NEAR((after.mean_residual(table, model, 0) + after.mean_residual(table, model, 1)) / 2, 0,
              0.2);
}

/// Of methods for the worst group that of the weights which steps had, as their path tells.
TEST(ResidualMean, IsOfTheWeightsThatAWorstGroupGot) {
  const EncodedTable table = skewed_table();
  const LinearModel model(table.feature_names);
  for (const char* name : {"mgr_w", "mgr", "ags"}) {
    TrainingConfig config = config_of(8);
    const auto weighted_residual = [&](const Outcome& outcome) {
      double sum = 0;
      double weight = 0;
      for (const GroupPathPoint& point : outcome.trained.group_path) {
        if (point.step <= config.num_steps / 2) continue;
        for (const int group : {0, 1}) {
          const double counts = point.weights[static_cast<size_t>(group)];
          sum += counts * outcome.mean_residual(table, model, group);
          weight += counts;
        }
      }
      return sum / weight;
    };
    const Outcome before = run(name, table, without(config));
    const Outcome after = run(name, table, config);
    EXPECT_EQ(before.plan.items.size(), 2) << name;
    ASSERT_EQ(after.plan.items.size(), 3) << name;
    EXPECT_EQ(after.plan.items[2].event.events()[0],
              Event::gaussian(after.plan.residual_noise_multiplier));
    EXPECT_LE(after.plan.privacy->epsilon.value(), 8) << name;
    EXPECT_GT(weighted_residual(before), 0.4) << name;
    EXPECT_NEAR(weighted_residual(after), 0, 0.2) << name;
    // Nothing is left to draw after the last state.
    EXPECT_EQ(after.last.average, after.parameters) << name;
    EXPECT_EQ(run(name, table, config, after.last).parameters, after.parameters) << name;
    config.own.of<WorstGroupOptions>().radius = 5;
    EXPECT_EQ(run(name, table, config).plan.residual_noise_multiplier, 0) << name;
  }
}

/// With shares that a first stage gives, and never without a goal that is public.
TEST(ResidualMean, IsPaidByEachGroupWhoseBudgetIsTailored) {
  const EncodedTable table = skewed_table();
  const LinearModel model(table.feature_names);
  TrainingConfig config = config_of(8);
  TailoringOptions& own = config.own.of<TailoringOptions>();
  own.split = SplitRule::kError;
  const Outcome after = run("dpse", table, config);
  EXPECT_NEAR(after.mean_residual(table, model), 0, 0.2);
  ASSERT_GT(after.plan.residual_noise_multiplier, 0);
  const Event noise = Event::gaussian(after.plan.residual_noise_multiplier);
  ASSERT_EQ(after.trained.realised.size(), 2U);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(after.plan.items[0].event.events()[k].events().back().events()[0], noise);
    const std::vector<Event>& realised = after.trained.realised[k].events;
    EXPECT_EQ(realised.back().events()[0], noise);
    EXPECT_LE(smallest_guarantee(Relation::kZeroOut, realised, Delta(1e-6)).epsilon.value(), 8);
  }
  own.loss_multipliers = {1};
  EXPECT_EQ(run("dpse", table, config).plan.residual_noise_multiplier, 0);
  own.loss_multipliers = {0, 1};
  EXPECT_EQ(run("dpse", table, config).plan.residual_noise_multiplier, 0);
  EXPECT_EQ(run("dpse_printed_alg2", table, config_of(8)).plan.residual_noise_multiplier, 0);
}

TEST(ResidualMean, IsPaidForOnlyWhereTheTargetIsANumberWithBounds) {
  const auto method = find_training_method("dpsgd").make();
  const TrainingPlan plan = method->plan(config_of(1), facts_of(kRecords));
  ASSERT_EQ(plan.items.size(), 3);
  const std::vector<Event>& part = plan.items[2].event.events();
  EXPECT_EQ(part[0], Event::gaussian(plan.residual_noise_multiplier));
  EXPECT_EQ(part[1].kind(), Event::Kind::kSamplerError);
  EXPECT_LE(plan.privacy->epsilon.value(), 1);
  TrainingFacts network = facts_of(kRecords);
  network.model = "mlp";
  EXPECT_GT(method->plan(config_of(1), network).residual_noise_multiplier, 0);
  TrainingFacts classes = facts_of(kRecords);
  classes.model = "logistic";
  classes.target = {};
  EXPECT_EQ(method->plan(config_of(1), classes).items.size(), 2);
  TrainingConfig chosen = config_of(1);
  chosen.own.of<ResidualOptions>().residual_share = 0.1;
  EXPECT_ERROR(kUsage, HasSubstr("--residual-share"),
               check_residual_share("test", chosen, classes));
  EXPECT_NO_THROW(check_residual_share("test", chosen, network));
  EXPECT_NO_THROW(check_residual_share("test", config_of(1), classes));
}

/// Full batches, so that the budget of all steps is that of one Gaussian with less noise.
TEST(ResidualMean, TakesNoMoreOfTheBudgetThanItNeedsAndNothingWhereNoiseWouldRuleIt) {
  const auto planned = [](double epsilon, int64_t num_records, std::optional<double> share) {
    TrainingConfig config = config_of(epsilon);
    config.num_steps = 10;
    config.batch_size = static_cast<double>(num_records);
    config.own.of<ResidualOptions>().residual_share = share;
    return find_training_method("dpsgd").make()->plan(config, facts_of(num_records));
  };
  const auto part_of = [](const TrainingPlan& plan) {
    const double of_steps = 10 / std::pow(plan.noise_multiplier, 2);
    const double of_mean = std::pow(plan.residual_noise_multiplier, -2);
    return of_mean / (of_steps + of_mean);
  };
  EXPECT_NEAR(part_of(planned(1, 400, {})), 0.05, 0.003);
  // A two-hundredth of the spread, 3, as noise on a mean of 80,000 residuals of at most 10.
  const TrainingPlan large = planned(1, 80'000, {});
  EXPECT_NEAR(large.residual_noise_multiplier * 10 / 80'000, 0.015, 1e-9);
  EXPECT_LT(part_of(large), 0.01);
  EXPECT_EQ(planned(0.1, 400, {}).residual_noise_multiplier, 0);
  EXPECT_NEAR(part_of(planned(0.1, 400, 0.3)), 0.3, 0.03);
  EXPECT_EQ(planned(1, 400, 0).residual_noise_multiplier, 0);
}

/// Extreme records and predictions: no neighbour is farther away than the sensitivity, and one is
/// as far.
TEST(ResidualMean, ANeighbourChangesTheSumsByAtMostTheSensitivity) {
  const TargetScale target = {1, 3, 0, 10};
  constexpr double kGrid = 0x1p-30;
  EncodedTable table = skewed_table(60);
  std::vector<double> predictions;
  for (size_t i = 0; i < 60; ++i) {
    const float targets[] = {-1e30F, 0, 5, 10, 1e30F, kNone};
    table.targets[i] = targets[i % 6];
    const double predicted[] = {-1e300, 0, 10, 1e300, std::nan("")};
    predictions.push_back(predicted[i / 6 % 5]);
  }
  const std::vector<uint32_t> units = {0, 1, 2, 5, 9, 15, 15, 24, 36, 48, 60};
  for (const bool has_units : {false, true}) {
    if (has_units) table.unit_begin = units;
    for (const ResidualParts& parts :
         {ResidualParts{}, ResidualParts{2, 2, {}}, ResidualParts{1, 2, {0.3, 1}}}) {
      const auto sums = [&] { return residual_sums(table, target, predictions, parts, kGrid); };
      const std::vector<int64_t> all = sums();
      double largest = 0;
      for (int64_t unit = 0; unit < table.num_units(); ++unit) {
        const auto place = static_cast<size_t>(unit);
        const size_t begin = has_units ? units[place] : place;
        const size_t end = has_units ? units[place + 1] : place + 1;
        const std::vector<uint8_t> kept = table.contributes;
        for (size_t row = begin; row < end; ++row) table.contributes[row] = 0;
        const std::vector<int64_t> fewer = sums();
        table.contributes = kept;
        double squared = 0;
        for (size_t k = 0; k < all.size(); ++k)
          squared += std::pow(static_cast<double>(all[k] - fewer[k]), 2);
        const size_t first =
            static_cast<size_t>(std::find(kept.begin() + static_cast<ptrdiff_t>(begin),
                                          kept.begin() + static_cast<ptrdiff_t>(end), uint8_t{1}) -
                                kept.begin());
        const size_t group = first < end ? index_of(table.groups[first]) : 0;
        double share = 1;
        if (!parts.shares.empty()) share = group < parts.num_groups ? parts.shares[group] : 0;
        EXPECT_LE(std::sqrt(squared), residual_sensitivity(share, kGrid)) << unit;
        largest = std::max(largest, std::sqrt(squared));
      }
      if (!has_units) {
        EXPECT_GT(largest, 0.999 * residual_sensitivity(1, kGrid));
      }
    }
  }
}

/// However many rows a unit has it counts once.
TEST(ResidualMean, OfUnitsIsTheMeanOfTheMeans) {
  EncodedTable table = skewed_table(4);
  table.targets = {8, 0, 1, 2};
  table.unit_begin = {0, 1, 4};
  const std::vector<double> predictions(4, 0.0);
  EXPECT_EQ(residual_sums(table, {1, 3, 0, 10}, predictions, {}, 0.1)[0], 8 + 1);
}

/// Where nobody contributes the intercept moves by nothing but shrunk noise, whose mean square is a
/// third of the variance, 0.3331, for a normal distribution.
TEST(ResidualMean, HasTheNoiseThatIsPaidFor) {
  constexpr int kRuns = 2000;
  EncodedTable table = skewed_table(200);
  table.contributes.assign(table.contributes.size(), 0);
  TrainingConfig config = testing::stepwise_config(200, 1, 1);
  config.learning_rate = config.final_learning_rate = 1e-9;
  config.own.of<ResidualOptions>().residual_share = 0.5;
  const auto method = find_training_method("dpsgd").make();
  const LinearModel model(table.feature_names);
  const TrainingPlan plan = method->plan(config, facts_of(200));
  const double stddev = plan.residual_noise_multiplier * 10 / 200;
  double squares = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    const double moved =
        testing::run_with_seed(*method, table, model, plan, seed).parameters.back();
    squares += moved * moved / (stddev * stddev) / kRuns;
  }
  EXPECT_NEAR(squares, 0.333, 0.1);
}

/// Each group pays for what one of its records counts, and a group with an epsilon of its own no
/// more than that.
TEST(ResidualMean, GroupsPayForWhatTheirRecordsCount) {
  TrainingConfig config = config_of(4);
  config.own.of<GroupCostOptions>().weights = {{"a", 1}, {"b", 4}};
  const TrainingPlan plan =
      find_training_method("group_weighted").make()->plan(config, facts_of(kRecords));
  const auto multiplier_of = [&](const TrainingPlan& of, size_t group) {
    return of.items[0].event.events()[group].events().at(2).events().at(0).noise_multiplier();
  };
  EXPECT_NEAR(multiplier_of(plan, 0) / multiplier_of(plan, 1), 4, 1e-9);
  EXPECT_LE(plan.privacy->epsilon.value(), 4);

  const auto method = find_training_method("group_weighted").make();
  const TrainingPlan alike = method->plan(config, facts_of(1000));
  config.own.of<GroupCostOptions>().epsilons = {{"b", 1.5}};
  const TrainingPlan limited = method->plan(config, facts_of(1000));
  EXPECT_GT(limited.residual_noise_multiplier, alike.residual_noise_multiplier);
  const auto epsilon_of = [&](size_t group) {
    return smallest_guarantee(Relation::kZeroOut, limited.events_of(group), Delta(1e-6))
        .epsilon.value();
  };
  EXPECT_LE(epsilon_of(0), 4);
  EXPECT_LE(epsilon_of(1), 1.5);

  // Without public sizes nobody knows what the weighted sum is to be divided by.
  TrainingFacts unknown = facts_of(kRecords);
  unknown.groups.shares = {std::nullopt, std::nullopt};
  EXPECT_EQ(method->plan(config, unknown).residual_noise_multiplier, 0);
}

}  // namespace equinoise::residual_mean_test
