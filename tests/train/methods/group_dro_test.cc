// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/models/registry.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::group_dro_test {

/// One feature that is 0: of 800 records of group a one in ten is of class 1, of 200 of group b
/// nine in ten. A model can but choose one probability for all.
EncodedTable opposed_groups() {
  nlohmann::json x;
  nlohmann::json y;
  EncodedTable table;
  for (int i = 0; i < 1000; ++i) {
    const bool in_b = i >= 800;
    x.push_back({0.0});
    y.push_back((i % 10 == 0) != in_b ? 1 : 0);
    table.groups.push_back(GroupId{in_b ? 1U : 0U});
  }
  std::vector<GroupId> groups = std::move(table.groups);
  table = testing::dense_table(x, y, 1);
  table.groups = std::move(groups);
  return table;
}

std::unique_ptr<Model> logistic(const EncodedTable& table) {
  return model_kinds()[0].make({table.feature_names, table.classes, {}}, {});
}

TrainingFacts facts_of(const EncodedTable& table) {
  const auto model = logistic(table);
  return {table.num_records, model->num_parameters(), 0, 2, 1, {}, model->name()};
}

TrainingConfig config() {
  TrainingConfig config = testing::stepwise_config(200, 2000);
  config.learning_rate = 0.5;
  config.final_learning_rate = 0.05;
  return config;
}

/// The state after so many steps.
class StateAt final : public StepObserver {
 public:
  explicit StateAt(int64_t step) : step_(step) {}
  void on_step(const StepView& view) override {
    if (view.step + 1 == step_) state = view.state;
  }
  TrainingState state;

 private:
  int64_t step_;
};

std::vector<double> train(const TrainingMethod& method, const EncodedTable& table,
                          TrainingState start, StepObserver& observer) {
  const TrainingPlan plan = method.plan(config(), facts_of(table));
  SeededSource source(1);
  const auto model = logistic(table);
  return method
      .run({table, *model, plan, std::move(start), Charge::nothing(plan.config.relation), source,
            observer})
      .parameters;
}

std::vector<double> train(const TrainingMethod& method, const EncodedTable& table) {
  StateAt ignored(-1);
  return train(method, table, TrainingState::start({0, 0}), ignored);
}

/// The larger of the groups' mean losses, where class 1 has this probability for everybody.
double largest_loss(const std::vector<double>& parameters) {
  const double p = 1 / (1 + std::exp(-parameters[1]));
  const double of_a = -0.9 * std::log(1 - p) - 0.1 * std::log(p);
  const double of_b = -0.1 * std::log(1 - p) - 0.9 * std::log(p);
  return std::max(of_a, of_b);
}

TEST(GroupDro, LowersTheLargestLossOfAnyGroup) {
  const EncodedTable table = opposed_groups();
  // By symmetry no model has a largest loss below that of the probability 1/2.
  EXPECT_NEAR(largest_loss(train(testing::method_of("group_dro"), table)), std::numbers::ln2, 0.02);
  EXPECT_GT(largest_loss(train(testing::method_of("sgd"), table)), std::numbers::ln2 + 0.3)
      << "for comparison";
}

TEST(GroupDro, GoesOnWhereItStopped) {
  const EncodedTable table = opposed_groups();
  StateAt half(1000);
  const std::vector<double> whole =
      train(testing::method_of("group_dro"), table, TrainingState::start({0, 0}), half);
  StateAt ignored(-1);
  EXPECT_EQ(train(testing::method_of("group_dro"), table, half.state, ignored), whole);
  TrainingState foreign = half.state;
  foreign.clip.push_back(0);
  EXPECT_THROW(train(testing::method_of("group_dro"), table, foreign, ignored), Error);
}

TEST(GroupDro, RecordsOfOtherGroupsTakeNoPart) {
  EncodedTable table = opposed_groups();
  for (int i = 0; i < 200; ++i) table.groups[static_cast<size_t>(i)] = GroupId{2};
  const std::vector<double> without = train(testing::method_of("group_dro"), table);
  for (int i = 0; i < 200; ++i) table.labels[static_cast<size_t>(i)] ^= 1;
  EXPECT_EQ(train(testing::method_of("group_dro"), table), without);
}

TEST(GroupDro, RefusesAGuaranteeAndASingleGroup) {
  const EncodedTable table = opposed_groups();
  TrainingFacts facts = facts_of(table);
  TrainingConfig with_epsilon = config();
  with_epsilon.epsilon = 1;
  EXPECT_ERROR(kUsage, HasSubstr("use mgr_w"),
               testing::method_of("group_dro").plan(with_epsilon, facts));
  facts.num_groups = 1;
  EXPECT_ERROR(kUsage, HasSubstr("at least two groups, got 1"),
               testing::method_of("group_dro").plan(config(), facts));
}

}  // namespace equinoise::group_dro_test
