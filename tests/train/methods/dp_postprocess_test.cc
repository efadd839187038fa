// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/constraints/rate_values.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/postprocessing/score_histogram.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/seeded_run.h"

namespace equinoise::dp_postprocess_test {

const std::vector<std::string> kGroups = {"a", "b"};

/// Three quarters of the records are in the first group; more of the other one are positive.
EncodedTable make_table(int64_t num_records) {
  EncodedTable table = testing::mixed_table(num_records, 1);
  for (size_t i = 0; i < table.labels.size(); ++i) {
    table.groups.push_back(GroupId(i % 4 == 0 ? 1 : 0));
    if (i % 4 == 0) table.dense[i * table.num_dense] += 1;
  }
  return table;
}

TrainingConfig config_of(const EncodedTable& table, const std::string& line) {
  TrainingConfig config;
  config.epsilon = 3;
  config.delta = 1e-6;
  config.batch_size = 200;
  config.num_steps = 300;
  const ConstraintDomain domain = {{{"group", kGroups}}, table.classes};
  config.constraints = testing::shared_program(line, domain);
  return config;
}

PerGroupModel model_of(const EncodedTable& table) {
  return {std::make_unique<LogisticModel>(table.feature_names, table.classes), kGroups};
}

TrainingFacts facts_of(const EncodedTable& table, const Model& model) {
  return {table.num_records, model.num_parameters(), 0, 2, 1, {"group", kGroups, {0.75, 0.25}},
          model.name()};
}

constexpr uint64_t kSeed = 5;

TrainedModel run(const TrainingMethod& method, const EncodedTable& table, const Model& model,
                 const TrainingPlan& plan, uint64_t seed = kSeed) {
  return testing::run_with_seed(method, table, model, plan, seed);
}

TEST(DpPostprocess, PaysForStepsAndOneHistogram) {
  const EncodedTable table = make_table(8000);
  const PerGroupModel model = model_of(table);
  const TrainingPlan plan =
      testing::method_of("dp_postprocess")
          .plan(config_of(table, "demographic_parity:group:0.05"), facts_of(table, model));
  ASSERT_EQ(plan.items.size(), 3);
  EXPECT_EQ(plan.items[2].event, Event::discrete_gaussian(plan.full_noise_multiplier, 1));
  EXPECT_LE(plan.privacy->epsilon.value(), 3);
  EXPECT_GT(plan.privacy->epsilon.value(), 2.99);
  // A rate near a half of 2,000 records varies by 0.011 between samples; noise is half of that.
  EXPECT_NEAR(plan.full_noise_multiplier * std::sqrt(ScoreHistogram::kBins / 2.0) / 2000,
              0.5 * 0.5 / std::sqrt(2000.0), 1e-9);
  EXPECT_TRUE(plan.notes.empty());
}

TEST(DpPostprocess, TakesNoMoreThanAShareOfABudgetThatTellsLittle) {
  const EncodedTable table = make_table(400);
  const PerGroupModel model = model_of(table);
  TrainingConfig config = config_of(table, "demographic_parity:group:0.05");
  const TrainingPlan plan =
      testing::method_of("dp_postprocess").plan(config, facts_of(table, model));
  const double of_steps = multiplier_of_all_steps(config, plan.facts, plan.noise_multiplier);
  EXPECT_NEAR(std::pow(of_steps / plan.full_noise_multiplier, 2), 0.3 / 0.7, 1e-9);
  ASSERT_EQ(plan.notes.size(), 1);
  EXPECT_THAT(plan.notes[0], HasSubstr("keep the threshold of all"));
  EXPECT_THAT(plan.notes[0], HasSubstr(": b"));
  config.own.of<PostprocessOptions>().score_share = 0.5;
  const TrainingPlan half =
      testing::method_of("dp_postprocess").plan(config, facts_of(table, model));
  EXPECT_NEAR(half.full_noise_multiplier,
              multiplier_of_all_steps(config, half.facts, half.noise_multiplier), 1e-9);
}

/// Slopes are those of dpsgd with the same noise, and parts differ in their intercepts alone.
TEST(DpPostprocess, MovesInterceptsOfTheModelThatDpsgdTrains) {
  const EncodedTable table = make_table(8000);
  const PerGroupModel model = model_of(table);
  const TrainingMethod& method = testing::method_of("dp_postprocess");
  TrainingConfig config = config_of(table, "demographic_parity:group:0.05");
  const TrainingPlan plan = method.plan(config, facts_of(table, model));
  const TrainedModel found = run(method, table, model, plan);

  const LogisticModel base(table.feature_names, table.classes);
  config.epsilon.reset();
  config.noise_multiplier = plan.noise_multiplier;
  TrainingFacts facts = facts_of(table, base);
  facts.num_groups = 0;
  const std::vector<double> plain =
      run(testing::method_of("dpsgd"), table, base, testing::method_of("dpsgd").plan(config, facts))
          .parameters;
  const size_t size = plain.size();
  ASSERT_EQ(found.parameters.size(), 2 * size);
  for (size_t j = 0; j + 1 < size; ++j) {
    EXPECT_EQ(found.parameters[j], plain[j]);
    EXPECT_EQ(found.parameters[size + j], plain[j]);
  }
  EXPECT_LT(found.parameters[2 * size - 1], plain.back()) << "more of b were predicted positive";
  EXPECT_GT(found.parameters[size - 1], plain.back());
  ASSERT_EQ(found.chosen.size(), 3);
  EXPECT_EQ(found.chosen[0].first, "threshold a");
  EXPECT_NEAR(std::log(found.chosen[0].second / (1 - found.chosen[0].second)),
              plain.back() - found.parameters[size - 1], 1e-9);
  EXPECT_EQ(found.chosen[2], (std::pair<std::string, double>("groups_at_common_threshold", 0)));
}

TEST(DpPostprocess, KeepsTheConstraint) {
  const EncodedTable table = make_table(8000);
  const PerGroupModel model = model_of(table);
  const TrainingMethod& method = testing::method_of("dp_postprocess");
  const TrainingConfig config = config_of(table, "demographic_parity:group:0.05");
  const TrainedModel found = run(method, table, model, method.plan(config, facts_of(table, model)));
  const Predictions predictions = model.predict(table, found.parameters);
  std::vector<double> cells(config.constraints->num_cells, 0.0);
  for (size_t i = 0; i < table.labels.size(); ++i)
    cells[config.constraints->cells_of(index_of(table.groups[i]),
                                       table.labels[i])[predictions.predicted[i]]] += 1;
  for (const double value : rate_values(*config.constraints, cells, 1).constraints)
    EXPECT_LE(value, 0.05 + 0.03);
}

/// One threshold for all where constraints name no attribute.
TEST(DpPostprocess, ServesARateOfAll) {
  const EncodedTable table = make_table(8000);
  const LogisticModel model(table.feature_names, table.classes);
  TrainingFacts facts = facts_of(table, model);
  facts.num_groups = 1;
  facts.groups = {};
  EncodedTable of_all = table;
  of_all.groups.assign(table.groups.size(), GroupId(0));
  const TrainingMethod& method = testing::method_of("dp_postprocess");
  const TrainingPlan plan = method.plan(config_of(table, "fnr:0.03"), facts);
  const TrainedModel found = run(method, of_all, model, plan);
  const Predictions predictions = model.predict(table, found.parameters);
  double positives = 0;
  double missed = 0;
  for (size_t i = 0; i < table.labels.size(); ++i) {
    positives += table.labels[i];
    missed += table.labels[i] == 1 && predictions.predicted[i] == 0 ? 1 : 0;
  }
  EXPECT_NEAR(missed / positives, 0.03, 0.01);
  EXPECT_EQ(found.chosen[0].first, "threshold all");
}

TEST(DpPostprocess, RefusesWhatItCannotServe) {
  const EncodedTable table = make_table(400);
  const PerGroupModel model = model_of(table);
  const TrainingMethod& method = testing::method_of("dp_postprocess");
  TrainingConfig config = config_of(table, "demographic_parity:group:0.05");
  TrainingFacts facts = facts_of(table, model);
  facts.model = "softmax";
  EXPECT_ERROR(kUsage, HasSubstr("use raco_dp"), method.plan(config, facts));
  config.constraints = nullptr;
  EXPECT_ERROR(kUsage, HasSubstr("the method needs constraints"),
               method.plan(config, facts_of(table, model)));
  config = config_of(table, "demographic_parity:group:0.05");
  const LogisticModel one(table.feature_names, table.classes);
  const TrainingPlan plan = method.plan(config, facts_of(table, one));
  EXPECT_ERROR(kRuntime, HasSubstr("do not belong to this model"), run(method, table, one, plan));
}

}  // namespace equinoise::dp_postprocess_test
