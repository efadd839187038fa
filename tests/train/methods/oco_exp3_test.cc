// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "equinoise/models/registry.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::oco_exp3_test {

EncodedTable grouped_table(int64_t num_records) {
  EncodedTable table = testing::mixed_table(num_records, 7);
  for (int64_t i = 0; i < num_records; ++i)
    table.groups.push_back(GroupId(static_cast<uint32_t>(i % 3)));
  return table;
}

std::unique_ptr<Model> logistic(const EncodedTable& table) {
  return model_kinds()[0].make({table.feature_names, table.classes, {}}, {});
}

TrainingFacts facts_of(const EncodedTable& table) {
  const auto model = logistic(table);
  return {table.num_records,
          model->num_parameters(),
          0,
          3,
          1,
          {"group", {"a", "b", "c"}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
          model->name()};
}

TrainingConfig config(OnlineRule online = OnlineRule::kTree) {
  TrainingConfig config = testing::budget_config(2, 1e-5);
  config.num_steps = 40;
  config.own.of<WorstGroupOptions>().online = online;
  return config;
}

class Reads final : public StepObserver {
 public:
  void on_batch(const BatchView& view) override {
    records.push_back(view.batch.records[0]);
    sums.emplace_back(view.sum_units.begin(), view.sum_units.end());
    grid = view.grid;
  }
  void on_step(const StepView& view) override { iterates.push_back(view.state.parameters); }
  std::vector<uint32_t> records;
  std::vector<std::vector<int64_t>> sums;
  std::vector<std::vector<double>> iterates;
  double grid = 0;
};

Reads run(const EncodedTable& table, const TrainingConfig& config) {
  const TrainingMethod& method = testing::method_of("oco_exp3");
  const TrainingPlan plan = method.plan(config, facts_of(table));
  Reads reads;
  const auto model = logistic(table);
  testing::run_with_seed(method, table, *model, plan, 1, reads);
  return reads;
}

TEST(OcoExp3, ReadsEveryRecordAtMostOnceAndStopsWhenAGroupIsEmpty) {
  const EncodedTable table = grouped_table(60);
  for (const OnlineRule online : {OnlineRule::kTree, OnlineRule::kDescent}) {
    TrainingConfig long_run = config(online);
    long_run.num_steps = 200;
    const Reads reads = run(table, long_run);
    EXPECT_LE(reads.records.size(), 30U) << "two records a step";
    EXPECT_GE(reads.records.size(), 10U) << "a group of 20 lasts 10 steps";
    EXPECT_EQ(std::set(reads.records.begin(), reads.records.end()).size(), reads.records.size());
    EXPECT_EQ(reads.iterates.size(), reads.records.size());
  }
}

/// A record that becomes null changes the one item that it is, by at most the clip, and nothing
/// before; its place in the queue stays.
TEST(OcoExp3, ANeighbourChangesOneItem) {
  const EncodedTable table = grouped_table(300);
  const Reads before = run(table, config());
  for (const size_t step : {size_t{0}, size_t{3}, size_t{20}}) {
    EncodedTable neighbour = table;
    neighbour.contributes[before.records[step]] = 0;
    const Reads after = run(neighbour, config());
    for (size_t t = 0; t < step; ++t) EXPECT_EQ(before.iterates[t], after.iterates[t]);
    EXPECT_EQ(before.records[step], after.records[step]);
    double squared = 0;
    for (size_t j = 0; j < before.sums[step].size(); ++j) {
      EXPECT_EQ(after.sums[step][j], 0);
      squared += std::pow(static_cast<double>(before.sums[step][j]) * before.grid, 2);
    }
    EXPECT_LE(std::sqrt(squared), config().max_grad_norm);
    EXPECT_GT(squared, 0);
  }
}

TEST(OcoExp3, CostsOneTreeOrOneGaussian) {
  const TrainingFacts facts = facts_of(grouped_table(300));
  const TrainingPlan tree = testing::method_of("oco_exp3").plan(config(), facts);
  EXPECT_EQ(tree.events()[0].kind(), Event::Kind::kTreeAggregation);
  EXPECT_LE(tree.privacy->epsilon.value(), 2);
  EXPECT_GT(tree.privacy->epsilon.value(), 1.999);
  const TrainingPlan descent =
      testing::method_of("oco_exp3").plan(config(OnlineRule::kDescent), facts);
  EXPECT_EQ(descent.events()[0].kind(), Event::Kind::kGaussian);
  // 40 steps have 6 levels.
  EXPECT_NEAR(tree.noise_multiplier / descent.noise_multiplier, std::sqrt(6.0), 1e-3);
  EXPECT_THAT(tree.notes[0], HasSubstr("treats groups as public"));
}

TEST(OcoExp3, RefusesWhatItCannotUse) {
  const TrainingFacts facts = facts_of(grouped_table(300));
  const auto refusal = [&](const TrainingConfig& config) {
    return error_of(ErrorKind::kUsage, [&] { testing::method_of("oco_exp3").plan(config, facts); });
  };
  TrainingConfig wrong = config();
  wrong.own.of<WorstGroupOptions>().exploration = 2;
  EXPECT_THAT(refusal(wrong), HasSubstr("exploration"));
}

}  // namespace equinoise::oco_exp3_test
