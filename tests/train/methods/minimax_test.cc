// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/worst_group/table_losses.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/seeded_run.h"

namespace equinoise::minimax_test {

constexpr size_t kGroups = 3;

EncodedTable make_table(std::string_view model) {
  EncodedTable table = testing::mixed_table(900, 2);
  if (model == "linear") {
    for (size_t i = 0; i < table.labels.size(); ++i)
      table.targets.push_back(0.3F * static_cast<float>(i % 4) + table.labels[i]);
    table.labels.clear();
    table.classes.clear();
  }
  for (uint32_t i = 0; i < 900; ++i) table.groups.push_back(GroupId(i < 800 ? i % 2 : 2));
  return table;
}

std::unique_ptr<Model> make_model(std::string_view name, const EncodedTable& table) {
  for (const ModelRow& row : model_kinds()) {
    if (row.name == name)
      return row.make({table.feature_names, table.classes, {}, 0, testing::mixed_cells()}, {});
  }
  return nullptr;
}

TrainingFacts facts_of(const EncodedTable& table, const Model& model) {
  return {table.num_records, model.num_parameters(), 0, kGroups, model.num_outputs(), {},
          model.name()};
}

TrainedModel train(const TrainingMethod& method, const EncodedTable& table,
                   std::string_view name = "logistic", const TrainingConfig& config = {}) {
  const auto model = make_model(name, table);
  const TrainingPlan plan = method.plan(config, facts_of(table, *model));
  return testing::run_with_seed(method, table, *model, plan, 1);
}

double largest_loss(const EncodedTable& table, std::string_view name,
                    const std::vector<double>& parameters) {
  const auto model = make_model(name, table);
  const TableLosses losses(table, *model, kGroups);
  std::vector<double> of_groups(kGroups);
  std::vector<double> gradients(kGroups * parameters.size());
  losses.evaluate(parameters, of_groups, gradients);
  return *std::ranges::max_element(of_groups);
}

TEST(Minimax, CertifiesEveryModelThatItTrains) {
  for (const std::string_view name : {"logistic", "softmax", "linear", "additive"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(testing::method_of("minimax").traits().trains(name));
    const EncodedTable table = make_table(name);
    const TrainedModel trained = train(testing::method_of("minimax"), table, name);
    ASSERT_TRUE(trained.certificate);
    EXPECT_LE(trained.certificate->gap(), 1e-4);
    EXPECT_GT(trained.certificate->lower, 0);
    EXPECT_EQ(trained.certificate->radius, 1000);
    EXPECT_DOUBLE_EQ(largest_loss(table, name, trained.parameters), trained.certificate->upper);
    const TrainedModel other = train(testing::method_of("group_dro"), table, name);
    EXPECT_FALSE(other.certificate);
    EXPECT_GE(largest_loss(table, name, other.parameters), trained.certificate->lower);
  }
}

TEST(Minimax, FollowsItsBallAndItsTolerance) {
  const EncodedTable table = make_table("logistic");
  TrainingConfig config;
  config.own.of<WorstGroupOptions>().radius = 0.5;
  const TrainedModel inside = train(testing::method_of("minimax"), table, "logistic", config);
  double squared = 0;
  for (const double value : inside.parameters) squared += value * value;
  EXPECT_NEAR(squared, 0.25, 1e-3) << "the sphere holds the best of the ball";
  EXPECT_EQ(inside.certificate->radius, 0.5);
  EXPECT_LE(inside.certificate->gap(), 1e-4);
  EXPECT_GT(inside.certificate->lower,
            train(testing::method_of("minimax"), table).certificate->upper);
  config = {};
  config.own.of<MinimaxOptions>().tolerance = 1e-7;
  EXPECT_LE(train(testing::method_of("minimax"), table, "logistic", config).certificate->gap(),
            1e-7);
  config.own.of<MinimaxOptions>().iterations = 2;
  const TrainedModel early = train(testing::method_of("minimax"), table, "logistic", config);
  EXPECT_GT(early.certificate->gap(), 1e-4);
  EXPECT_LE(early.certificate->lower,
            train(testing::method_of("minimax"), table).certificate->upper);
}

/// Nobody in a group, and a group of one.
TEST(Minimax, AGroupOfNobodyHasNoLoss) {
  EncodedTable table = make_table("logistic");
  for (size_t i = 800; i < 900; ++i) table.contributes[i] = 0;
  const TrainedModel without = train(testing::method_of("minimax"), table);
  EXPECT_LE(without.certificate->gap(), 1e-4);
  // A record whose group no method knows adds nothing either.
  for (size_t i = 800; i < 900; ++i) {
    table.contributes[i] = 1;
    table.groups[i] = GroupId(kGroups);
  }
  EXPECT_EQ(train(testing::method_of("minimax"), table).parameters, without.parameters);
  table.groups[850] = GroupId(2);
  const TrainedModel with_one = train(testing::method_of("minimax"), table);
  EXPECT_LE(with_one.certificate->gap(), 1e-4);
  EXPECT_GE(with_one.certificate->upper, without.certificate->lower);
}

TEST(Minimax, RefusesWhatItCannotCertify) {
  const EncodedTable table = make_table("logistic");
  const auto model = make_model("logistic", table);
  const auto refusal = [](const TrainingConfig& config, const TrainingFacts& facts) {
    return error_of(ErrorKind::kUsage, [&] { testing::method_of("minimax").plan(config, facts); });
  };
  TrainingConfig with_epsilon;
  with_epsilon.epsilon = 1;
  TrainingFacts facts = facts_of(table, *model);
  EXPECT_THAT(refusal(with_epsilon, facts), HasSubstr("use mgr_w"));
  TrainingConfig config;
  config.own.of<WorstGroupOptions>().radius = -1;
  EXPECT_THAT(refusal(config, facts), HasSubstr("radius must be above 0"));
  for (const char* other : {"mlp", "cnn", "lenet", "hinge"}) {
    facts.model = other;
    EXPECT_THAT(refusal({}, facts), HasAll(other, "use group_dro"));
  }
  facts = facts_of(table, *model);
  facts.num_groups = 1;
  EXPECT_THAT(refusal({}, facts), HasSubstr("at least two groups, got 1"));
}

}  // namespace equinoise::minimax_test
