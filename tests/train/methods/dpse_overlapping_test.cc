// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/train/tailoring/group_loss_descent.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/methods/dpse_runs.h"

namespace equinoise::dpse_overlapping_test {

constexpr int64_t kRecords = 1200;

/// Two sexes and three cities: a quarter are women, a sixth live in each of the smaller cities.
const std::vector<std::string> kNames = {"Male", "Female", "north", "south", "east"};
const std::vector<double> kShares = {0.75, 0.25, 2. / 3, 1. / 6, 1. / 6};
const std::vector<std::vector<size_t>> kGroupsOfCell = {{0, 2}, {0, 3}, {0, 4},
                                                        {1, 2}, {1, 3}, {1, 4}};

size_t cell_of(int64_t record) {
  const int64_t city = record / 4 % 6;
  return (record % 4 == 0 ? 3 : 0) + (city < 4 ? 0 : static_cast<size_t>(city - 3));
}

/// Women and the south each follow a rule of their own.
EncodedTable number_table() {
  EncodedTable table = testing::mixed_table(kRecords, 3);
  for (int64_t i = 0; i < kRecords; ++i) {
    const std::span<const float> x = table.dense_row(i);
    const size_t cell = cell_of(i);
    table.groups.push_back(GroupId(static_cast<uint32_t>(cell)));
    float target = 0.5F * x[0] + 0.2F * x[1];
    if (cell >= 3) target = 1 - 2 * x[0];
    if (cell % 3 == 1) target += 0.5F * x[2];
    table.targets.push_back(target);
  }
  table.labels.clear();
  table.classes.clear();
  return table;
}

EncodedTable class_table() {
  EncodedTable table = testing::mixed_table(kRecords, 3);
  for (int64_t i = 0; i < kRecords; ++i)
    table.groups.push_back(GroupId(static_cast<uint32_t>(cell_of(i))));
  return table;
}

TrainingFacts facts_of(const Model& model) {
  TrainingFacts facts;
  facts.num_records = kRecords;
  facts.num_parameters = model.num_parameters();
  facts.num_groups = kGroupsOfCell.size();
  facts.groups.partition = "sex,city";
  for (const std::vector<size_t>& cell : kGroupsOfCell) {
    facts.groups.names.push_back(kNames[cell[0]] + "," + kNames[cell[1]]);
    facts.groups.shares.emplace_back();
  }
  facts.model = model.name();
  facts.overlapping.groups.names = kNames;
  for (const double share : kShares) facts.overlapping.groups.shares.emplace_back(share);
  facts.overlapping.groups_of_cell = kGroupsOfCell;
  return facts;
}

using testing::epsilon_of;
using testing::rho_of_gaussian;
using testing::rho_of_group;
using testing::rho_of_run;

const testing::DpseRuns kDpse;

TrainingConfig config_of(const std::string& split) { return testing::dpse_config(split); }

testing::DpseRuns::Outcome run(const EncodedTable& table, const Model& model,
                               const TrainingConfig& config) {
  return kDpse.run(table, model, config, facts_of(model));
}

/// The run costs what its costliest pattern of groups does, and a pattern the sum of its groups.
TEST(DpseOverlapping, EveryPatternPaysTheSumOfItsGroups) {
  const LinearModel linear(number_table().feature_names);
  const LogisticModel logistic(class_table().feature_names, {"no", "yes"});
  // By 1 / size with a floor of 0.2 / 5.
  std::vector<double> inverse;
  double sum = 0;
  for (const double share : kShares) sum += 1 / share;
  for (const double share : kShares) inverse.push_back(std::max(1 / share / sum, 0.04));
  for (const double loss_multiplier : {0.0, 2.0}) {
    for (const Model* model :
         {static_cast<const Model*>(&linear), static_cast<const Model*>(&logistic)}) {
      TrainingConfig config = config_of("inverse_size");
      config.own.of<TailoringOptions>().loss_multipliers = {loss_multiplier};
      const TrainingPlan plan = testing::method_of("dpse").plan(config, facts_of(*model));
      const double rho = rho_of_run(plan);
      for (size_t c = 0; c < kGroupsOfCell.size(); ++c) {
        const double of_cell = inverse[kGroupsOfCell[c][0]] + inverse[kGroupsOfCell[c][1]];
        const double most = inverse[1] + inverse[3];
        EXPECT_NEAR(rho_of_group(plan, c), rho * of_cell / most, 1e-11 * rho);
        EXPECT_LE(rho_of_group(plan, c), rho * (1 + 1e-14));
      }
      EXPECT_EQ(plan.privacy->epsilon.value(), epsilon_of(plan, plan.events_of(4)))
          << "women in the south";
      EXPECT_GT(plan.privacy->epsilon.value(), 1.5 * epsilon_of(plan, plan.events_of(0)));
      // Where stage one decides, any pattern may turn out to be the costliest.
      const TrainingPlan tailored =
          testing::method_of("dpse").plan(config_of("error"), facts_of(*model));
      for (size_t c = 0; c < kGroupsOfCell.size(); ++c)
        EXPECT_NEAR(rho_of_group(tailored, c), rho, 1e-11 * rho);
    }
  }
}

/// Of stage one everybody pays a part for the model and one for each group of theirs.
TEST(DpseOverlapping, StageOneIsPaidForInPartsOfThree) {
  const LinearModel model(number_table().feature_names);
  const TrainingPlan plan = testing::method_of("dpse").plan(config_of("error"), facts_of(model));
  const double stage_one = 0.2 * rho_of_run(plan);
  const Event cells = plan.events()[0];
  for (const Event& cell : cells.events()) {
    const std::vector<Event> events = events_in_turn(cell);
    ASSERT_EQ(events.size(), 4U);
    EXPECT_NEAR(rho_of_gaussian(events[1]), stage_one / 3, 1e-11);
    EXPECT_NEAR(rho_of_gaussian(events[2]), stage_one * 2 / 3, 1e-11);
  }
}

TEST(DpseOverlapping, IsCalibratedToItsEpsilon) {
  kDpse.expect_calibrated(facts_of(LinearModel(number_table().feature_names)));
}

TEST(DpseOverlapping, RealisedCostIsNeverAboveTheReservedOne) {
  const EncodedTable numbers = number_table();
  const EncodedTable classes = class_table();
  const LinearModel linear(numbers.feature_names);
  const LogisticModel logistic(classes.feature_names, classes.classes);
  for (const double max_share : {0.3, 1.0}) {
    for (const std::string split : {"error", "error_over_size", "root_error"}) {
      for (const auto& [table, model] :
           {std::pair<const EncodedTable&, const Model&>(numbers, linear), {classes, logistic}}) {
        TrainingConfig config = config_of(split);
        config.own.of<TailoringOptions>().max_share = max_share;
        config.own.of<TailoringOptions>().max_shares = {{"Male", 0.25}};
        const auto got = run(table, model, config);
        const TrainedModel& trained = got.trained;
        std::vector<double> shares;
        double sum = 0;
        for (const auto& [name, share] : trained.realised_shares) {
          EXPECT_EQ(name, kNames[shares.size()]);
          EXPECT_LE(share, name == "Male" ? 0.25 : max_share);
          shares.push_back(share);
          sum += share;
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        ASSERT_EQ(trained.realised.size(), kGroupsOfCell.size());
        for (size_t c = 0; c < kGroupsOfCell.size(); ++c) {
          const RealisedCost& realised = trained.realised[c];
          EXPECT_NEAR(realised.share, shares[kGroupsOfCell[c][0]] + shares[kGroupsOfCell[c][1]],
                      1e-12);
          EXPECT_LE(realised.rho, rho_of_group(got.plan, c) * (1 + 1e-12));
          EXPECT_LE(epsilon_of(got.plan, realised.events),
                    epsilon_of(got.plan, got.plan.events_of(c)) * (1 + 1e-9));
        }
      }
    }
  }
  // The groups that the common model fits worst have the largest shares.
  const auto chosen = run(numbers, linear, config_of("error")).trained.realised_shares;
  EXPECT_GT(chosen[1].second, 3 * chosen[0].second);
  EXPECT_TRUE(run(numbers, linear, config_of("uniform")).trained.realised.empty());
}

/// With little noise a run is the descent of the mathematics on records that are in two groups.
TEST(DpseOverlapping, WithoutNoiseItIsGroupLossDescent) {
  EncodedTable table = class_table();
  const LogisticModel model(table.feature_names, table.classes);
  // So that the women's loss is the largest throughout.
  for (size_t i = 0; i < table.labels.size(); i += 4) table.labels[i] ^= 1;
  TrainingConfig config = testing::quiet_dpse_config();
  config.own.of<TailoringOptions>().objectives = {"mean"};
  const auto got = run(table, model, config);

  std::vector<double> features;
  std::vector<double> targets;
  std::vector<RecordCell> cells;
  for (size_t c = 0; c < kGroupsOfCell.size(); ++c) {
    cells.push_back({0, kGroupsOfCell[c]});
    cells.back().num_records = testing::add_signed_records(
        table, [&](int64_t record) { return cell_of(record) == c; }, features, targets);
  }
  const GroupRecords records(model.num_parameters(), kNames.size(), cells, features, targets);
  for (size_t k = 0; k < kNames.size(); ++k)
    ASSERT_EQ(static_cast<double>(records.group_sizes()[k]), kShares[k] * kRecords);
  SimulationNoise noise(1, 1);
  SimulatedGroupAnswers answers(records, RegressionModel::kLogistic, {Relation::kZeroOut, 0.7, 0.9},
                                noise);
  const std::vector<double> expected =
      descend(answers, {10, 0.5, {StepSize::Rule::kConstant, 0.4}},
              {std::vector(5, 0.2), std::vector(5, HUGE_VAL), 0.3, std::vector(5, 0.3)});
  // rho 50, half of it for each group of a cell, two answers in each of 10 steps: noise of 0.7 *
  // sqrt(20 / 50) on sums of all groups; the women's mean counts 0.2 + 0.3.
  double variance = std::pow(0.5 / 300, 2);
  for (const double size : {900., 800., 200., 200.}) variance += std::pow(0.2 / size, 2);
  const double stddev = 0.7 * std::sqrt(20. / 50) * 0.4 * std::sqrt(10 * variance);
  for (size_t j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(got.trained.parameters[j], expected[j], 5 * stddev);
  EXPECT_GT(std::fabs(expected[0]), 20 * stddev);
}

/// Every cell is charged for the best of several runs.
TEST(DpseOverlapping, AChoiceIsChargedToEveryPattern) {
  const EncodedTable table = number_table();
  const LinearModel model(table.feature_names);
  TrainingConfig config = config_of("error");
  config.own.of<TailoringOptions>().objectives = {"population", "0.5"};
  config.own.of<TailoringOptions>().loss_multipliers = {0, 2};
  const auto got = run(table, model, config);
  const Event cells = got.plan.events()[0];
  ASSERT_EQ(cells.events().size(), kGroupsOfCell.size());
  for (const Event& cell : cells.events()) {
    const Event best = events_in_turn(cell)[0];
    ASSERT_EQ(best.kind(), Event::Kind::kRepeatAndSelect);
    const std::vector<Event> one = events_in_turn(best.events()[0]);
    ASSERT_EQ(one.size(), 3U);
    EXPECT_NEAR(10 * 2 * rho_of_gaussian(one[0].events()[0].events()[0]) + rho_of_gaussian(one[1]),
                0.8 * rho_of_run(got.plan), 1e-11);
  }
  config.threads = 3;
  const auto again = run(table, model, config);
  EXPECT_EQ(got.trained.parameters, again.trained.parameters);
  EXPECT_EQ(got.trained.realised_shares, again.trained.realised_shares);
}

TEST(DpseOverlapping, GoesOnFromItsStates) {
  const EncodedTable table = number_table();
  const LinearModel model(table.feature_names);
  const TrainingPlan plan = testing::method_of("dpse").plan(config_of("error"), facts_of(model));
  testing::KeptStates states;
  const TrainedModel whole =
      testing::run_with_seed(kDpse.method, table, model, plan, kDpse.kSeed, states);
  StepObserver silent;
  ASSERT_EQ(states.all[4].clip.size(), kNames.size());
  const TrainedModel resumed =
      kDpse.run_from(states.all[4], kDpse.charge_after_stage_one(plan), table, model, plan, silent);
  EXPECT_EQ(resumed.parameters, whole.parameters);
}

TEST(DpseOverlapping, RefusesWhatItCannotHonour) {
  const LinearModel model(number_table().feature_names);
  TrainingConfig config = config_of("error");
  TrainingFacts facts = facts_of(model);
  for (const char* name : {"dpse_alg3", "dpse_printed_alg2"}) {
    const testing::DpseRuns runs{testing::method_of(name)};
    EXPECT_FALSE(runs.method.traits().takes_overlapping_groups);
    runs.expect_refused(config, facts, "disjoint groups; use dpse");
  }
  facts.overlapping.groups.shares[3].reset();
  kDpse.expect_refused(config, facts, "the public size of group south is not declared");
  facts = facts_of(model);
  facts.overlapping.groups.names[4] = "Male";
  kDpse.expect_refused(config, facts, "groups of several --groups have the name \"Male\"");
  facts = facts_of(model);
  config.own.of<TailoringOptions>().max_shares = {{"Female,south", 0.5}};
  kDpse.expect_refused(config, facts, "no such group");
  config.own.of<TailoringOptions>().max_shares.clear();
  config.own.of<TailoringOptions>().max_share = 0.19;
  kDpse.expect_refused(config, facts, "no split can meet a max_share of 0.19");
}

}  // namespace equinoise::dpse_overlapping_test
