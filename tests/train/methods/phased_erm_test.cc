// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/data/split.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/worst_group/phase_sensitivity.h"
#include "equinoise/train/worst_group/table_losses.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/seeded_run.h"

namespace equinoise::phased_erm_test {

EncodedTable grouped_table(int64_t num_records, uint64_t seed) {
  EncodedTable table = testing::mixed_table(num_records, seed);
  for (int64_t i = 0; i < num_records; ++i)
    table.groups.push_back(GroupId(static_cast<uint32_t>(i % 2)));
  return table;
}

std::unique_ptr<Model> logistic(const EncodedTable& table) {
  return model_kinds()[0].make({table.feature_names, table.classes, {}}, {});
}

TrainingFacts facts_of(const EncodedTable& table) {
  const auto model = logistic(table);
  return {table.num_records, model->num_parameters(), 0, 2, 1, {"group", {"a", "b"}, {0.5, 0.5}},
          model->name()};
}

TrainingConfig config() {
  TrainingConfig config;
  config.noise_multiplier = 0.2;
  config.own.of<WorstGroupOptions>().phase_step = 0.5;
  return config;
}

/// Keeps where each phase ended.
class Phases final : public StepObserver {
 public:
  void on_batch(const BatchView& view) override {
    chunks.emplace_back(view.batch.records.begin(), view.batch.records.end());
  }
  void on_step(const StepView& view) override { ends.push_back(view.state.parameters); }
  std::vector<std::vector<uint32_t>> chunks;
  std::vector<std::vector<double>> ends;
};

Phases run(const EncodedTable& table, const TrainingConfig& config, uint64_t seed = 1) {
  const TrainingMethod& method = testing::method_of("phased_erm");
  const TrainingPlan plan = method.plan(config, facts_of(table));
  Phases phases;
  const auto model = logistic(table);
  testing::run_with_seed(method, table, *model, plan, seed, phases);
  return phases;
}

TEST(PhasedErm, BallsMayBeSmall) {
  const EncodedTable table = grouped_table(1000, 2);
  TrainingConfig own = config();
  own.own.of<WorstGroupOptions>().radius = 1e-4;
  const Phases phases = run(table, own);
  double squared = 0;
  for (const double parameter : phases.ends.back()) squared += parameter * parameter;
  EXPECT_LE(squared, 1.001e-8);
}

TEST(PhasedErm, ChunksAreDisjointAndHoldEverybody) {
  const EncodedTable table = grouped_table(1000, 2);
  const Phases phases = run(table, config());
  ASSERT_EQ(phases.ends.size(), 8U) << "floor(log2 500)";
  std::vector<int> seen(1000);
  for (const auto& chunk : phases.chunks)
    for (const uint32_t record : chunk) ++seen[record];
  EXPECT_EQ(std::ranges::count(seen, 1), 1000);
}

/// A record moves the end of its own phase by at most what the noise is for, and, with the noise of
/// the same seed, no phase before.
TEST(PhasedErm, ANeighbourMovesOnePhaseByAtMostTheSensitivity) {
  EncodedTable table = grouped_table(200, 3);
  for (uint32_t record = 0; record < 200; record += 3)
    table.dense[record * table.num_dense] = record % 2 == 0 ? 50 : -50;
  TrainingConfig one = config();
  one.num_steps = 1;
  const TrainingPlan plan = testing::method_of("phased_erm").plan(one, facts_of(table));
  const Phases before = run(table, one);
  double largest = 0;
  for (uint32_t record = 0; record < 60; ++record) {
    EncodedTable neighbour = table;
    neighbour.contributes[record] = 0;
    const Phases after = run(neighbour, one);
    double squared = 0;
    for (size_t j = 0; j < before.ends[0].size(); ++j)
      squared += std::pow(before.ends[0][j] - after.ends[0][j], 2);
    EXPECT_LE(std::sqrt(squared), plan.bound * (1 + 2e-3) + 1e-9) << record;
    largest = std::max(largest, std::sqrt(squared));
  }
  std::printf("largest move %.4g of a bound of %.4g\n", largest, plan.bound);
  EXPECT_GT(largest, 0.02 * plan.bound);

  EncodedTable neighbour = table;
  const Phases all = run(table, config());
  const uint32_t last = all.chunks.back()[0];
  neighbour.contributes[last] = 0;
  const Phases changed = run(neighbour, config());
  for (size_t t = 0; t + 1 < all.ends.size(); ++t) EXPECT_EQ(all.ends[t], changed.ends[t]) << t;
}

/// Nothing bounds how many records of a group a chunk holds: here the last one has all records of
/// two groups, whose losses pull in opposite directions, where their sizes say a phase has an
/// eighth of them. [a counterexample to sums that are divided by public sizes alone]
TEST(PhasedErm, AChunkThatHoldsAWholeGroupMovesByAtMostTheSensitivity) {
  constexpr int64_t kGroup = 256;
  constexpr int64_t kPhases = 8;
  constexpr int64_t kRecords = 2 * kGroup * kPhases;
  EncodedTable table;
  table.num_records = kRecords;
  table.num_dense = table.num_features = 1;
  table.feature_names = {"x"};
  table.classes = {"no", "yes"};
  table.dense.assign(kRecords, 0);
  table.labels.assign(kRecords, 0);
  table.contributes.assign(kRecords, 1);
  table.groups.assign(kRecords, GroupId(2));
  const std::vector<uint32_t> order = public_order(kRecords, 0);
  for (int64_t i = 0; i < 2 * kGroup; ++i) {
    const uint32_t record = order[static_cast<size_t>(kRecords - 1 - i)];
    table.groups[record] = GroupId(i % 2 == 0 ? 0 : 1);
    table.dense[record] = i % 2 == 0 ? 1 : -1;
  }
  table.dense[order.back()] = -1;  // unlike the others of its group
  TrainingConfig own = config();
  own.own.of<WorstGroupOptions>().feature_bound = 1.001;
  own.own.of<WorstGroupOptions>().phase_step = 0.0209;
  TrainingFacts facts = facts_of(table);
  const double share = static_cast<double>(kGroup) / kRecords;
  facts.groups = {"group", {"a", "b", "c"}, {share, share, 1 - 2 * share}};
  const TrainingPlan plan = testing::method_of("phased_erm").plan(own, facts);
  ASSERT_EQ(plan.config.num_steps, kPhases);
  const auto model = logistic(table);
  const auto end_of = [&](const EncodedTable& records) {
    Phases phases;
    testing::run_with_seed(testing::method_of("phased_erm"), records, *model, plan, 1, phases);
    return phases;
  };
  const Phases before = end_of(table);
  EncodedTable neighbour = table;
  neighbour.contributes[order.back()] = 0;
  const Phases after = end_of(neighbour);
  double squared = 0;
  for (size_t j = 0; j < model->num_parameters(); ++j)
    squared += std::pow(before.ends.back()[j] - after.ends.back()[j], 2);
  // The least that any centre may claim: that of 0.
  const double mu_w =
      1 / (std::ldexp(own.own.of<WorstGroupOptions>().phase_step, -kPhases) * kGroup / kPhases);
  const double mu_lambda = 1 / (own.own.of<WorstGroupOptions>().phase_step * kGroup);
  const LogisticReach reach = class_reach(1, 1.001, 0, mu_w, mu_lambda, 3);
  const double bound = phase_sensitivity({Relation::kReplaceOne, reach.lipschitz, reach.loss_bound,
                                          mu_w, mu_lambda, kGroup / kPhases});
  EXPECT_LE(std::sqrt(squared), bound);
  EXPECT_GT(squared, 0);
}

TEST(PhasedErm, ManyRecordsAndLongStepsAreRefusedWhereRoundingCounts) {
  const EncodedTable table = grouped_table(2000, 2);
  TrainingConfig own = config();
  own.own.of<WorstGroupOptions>().phase_step = 1e6;
  const std::string error = error_of(
      ErrorKind::kUsage, [&] { testing::method_of("phased_erm").plan(own, facts_of(table)); });
  EXPECT_THAT(error, HasSubstr("rounding would exceed the accuracy"));
  EXPECT_THAT(error, HasSubstr("lower --phase-step"));
}

TEST(PhasedErm, LowersTheLargestLoss) {
  const EncodedTable table = grouped_table(20'000, 4);
  TrainingConfig careful = config();
  careful.own.of<WorstGroupOptions>().phase_step = 0.003;
  const Phases phases = run(table, careful);
  const auto model = logistic(table);
  const auto worst = [&](const std::vector<double>& parameters) {
    const Predictions predictions = model->predict(table, parameters);
    double sums[2] = {};
    for (size_t i = 0; i < predictions.loss.size(); ++i)
      sums[i % 2] += predictions.loss[i] / 10'000;
    return std::max(sums[0], sums[1]);
  };
  EXPECT_LT(worst(phases.ends.back()), worst(std::vector<double>(model->num_parameters())) - 0.01);
}

TEST(PhasedErm, RefusesWhatItCannotBound) {
  const EncodedTable table = grouped_table(1000, 2);
  TrainingFacts facts = facts_of(table);
  const auto refusal = [&](const TrainingConfig& config) {
    return error_of(ErrorKind::kUsage,
                    [&] { testing::method_of("phased_erm").plan(config, facts); });
  };
  TrainingConfig wrong = config();
  wrong.own.of<WorstGroupOptions>().feature_bound = 1;
  EXPECT_THAT(refusal(wrong), HasSubstr("feature_bound"));
  wrong = config();
  wrong.own.of<WorstGroupOptions>().phase_step = std::nan("");
  EXPECT_THAT(refusal(wrong), HasSubstr("phase_step"));
  facts.groups.shares = {0.997, 0.003};
  EXPECT_THAT(refusal(config()), HasSubstr("3 training records, too few for two phases"));
  facts = facts_of(table);
  facts.model = "linear";
  EXPECT_THAT(refusal(config()), HasSubstr("logistic and softmax"));
}

/// More records of a group than its public size make a mean, fewer a sum over that size.
TEST(TableLosses, NoLossIsAboveTheLargestOfARecord) {
  const EncodedTable table = grouped_table(300, 5);
  const auto model = logistic(table);
  std::vector<uint32_t> all(300);
  for (uint32_t i = 0; i < 300; ++i) all[i] = i;
  const std::vector<double> zeros(model->num_parameters());
  std::vector<double> losses(2);
  std::vector<double> gradients(2 * zeros.size());
  TableLosses(table, all, *model, {10, 600}, 3).evaluate(zeros, losses, gradients);
  EXPECT_NEAR(losses[0], std::log(2), 1e-12);
  EXPECT_NEAR(losses[1], std::log(2) * 150 / 600, 1e-12);
}

TEST(TableLosses, RowsAreScaledDownAndNullRecordsLeftOut) {
  EncodedTable table = grouped_table(300, 5);
  table.dense[0] = 1e6F;
  table.dense[table.num_dense] = std::nanf("");
  table.contributes[2] = 0;
  std::vector<uint32_t> all(300);
  for (uint32_t i = 0; i < 300; ++i) all[i] = i;
  const auto model = logistic(table);
  const TableLosses losses(table, all, *model, {150, 150}, 3);
  EXPECT_EQ(losses.rows().num_records, 298);
  for (int64_t i = 0; i < losses.rows().num_records; ++i) {
    double squared = 1;
    for (const float value : losses.rows().dense_row(i))
      squared += static_cast<double>(value) * value;
    EXPECT_LE(std::sqrt(squared), 3);
  }
  // Gradients and Hessians against differences.
  const size_t size = model->num_parameters();
  std::vector<double> w(size);
  for (size_t j = 0; j < size; ++j) w[j] = 0.2 * std::cos(static_cast<double>(j));
  std::vector<double> at(2);
  std::vector<double> gradients(2 * size);
  losses.evaluate(w, at, gradients);
  std::vector<double> direction(size);
  for (size_t j = 0; j < size; ++j) direction[j] = std::sin(static_cast<double>(3 * j));
  std::vector<double> ahead = w;
  constexpr double kStep = 1e-6;
  for (size_t j = 0; j < size; ++j) ahead[j] += kStep * direction[j];
  std::vector<double> there(2);
  std::vector<double> gradients_there(2 * size);
  losses.evaluate(ahead, there, gradients_there);
  std::vector<double> product(size);
  losses.hessian_product(w, std::vector<double>{0.3, 0.7}, direction, product);
  double slope = 0;
  for (size_t j = 0; j < size; ++j) {
    slope += gradients[j] * direction[j];
    const double change = 0.3 * (gradients_there[j] - gradients[j]) +
                          0.7 * (gradients_there[size + j] - gradients[size + j]);
    EXPECT_NEAR(product[j], change / kStep, 1e-5);
  }
  EXPECT_NEAR(slope, (there[0] - at[0]) / kStep, 1e-5);
}

/// No table's minimiser leaves the ball, and no loss on it is above the bound.
TEST(ClassReach, HoldsForLogisticAndSoftmax) {
  const LogisticReach plain = logistic_reach(4, 0.5, 0.2);
  const LogisticReach tight = class_reach(1, 4, 0.5, 0.2, 0.1, 3);
  EXPECT_LT(tight.radius, plain.radius) << "by the value at the centre";
  EXPECT_EQ(tight.lipschitz, 4);
  EXPECT_NEAR(tight.loss_bound, std::log1p(std::exp(4 * tight.radius)), 1e-9);
  const LogisticReach softmax = class_reach(3, 4, 0.5, 20, 0.1, 3);
  EXPECT_DOUBLE_EQ(softmax.lipschitz, 4 * std::sqrt(2.0));
  EXPECT_GT(softmax.loss_bound, class_reach(2, 4, 0.5, 20, 0.1, 3).loss_bound);
}

}  // namespace equinoise::phased_erm_test
