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

namespace equinoise::dpse_test {

constexpr int64_t kRecords = 800;
constexpr uint64_t kSeed = 4;

/// A number to predict that follows the features in one way in the larger group and in another in
/// the smaller one, to which every fourth record belongs.
EncodedTable number_table() {
  EncodedTable table = testing::mixed_table(kRecords, 3);
  for (int64_t i = 0; i < kRecords; ++i) {
    const std::span<const float> x = table.dense_row(i);
    table.groups.push_back(GroupId(i % 4 == 0 ? 1 : 0));
    table.targets.push_back(i % 4 == 0 ? 1 - 2 * x[0] : 0.5F * x[0] + 0.2F * x[1]);
  }
  table.labels.clear();
  table.classes.clear();
  return table;
}

EncodedTable class_table() {
  EncodedTable table = testing::mixed_table(kRecords, 3);
  for (int64_t i = 0; i < kRecords; ++i) table.groups.push_back(GroupId(i % 4 == 0 ? 1 : 0));
  return table;
}

TrainingFacts facts_of(const Model& model) {
  return {kRecords,    model.num_parameters(), 0, 2, 1, {"sex", {"Male", "Female"}, {0.75, 0.25}},
          model.name()};
}

using testing::epsilon_of;
using testing::rho_of_group;
using testing::rho_of_run;

const testing::DpseRuns kDpse;

TrainingConfig config_of(const std::string& split) { return testing::dpse_config(split); }

testing::DpseRuns::Outcome run(const EncodedTable& table, const Model& model,
                               const TrainingConfig& config) {
  return kDpse.run(table, model, config, facts_of(model));
}

void expect_refused(const TrainingConfig& config, const TrainingFacts& facts,
                    const std::string& part) {
  kDpse.expect_refused(config, facts, part);
}

TEST(Dpse, TheCostliestGroupPaysWhatOneGaussianOfItsMultiplierCosts) {
  for (const double loss_multiplier : {0.0, 2.0}) {
    for (const std::string split :
         {"uniform", "inverse_size", "error", "error_over_size", "root_error"}) {
      for (const std::unique_ptr<Model>& model :
           {std::unique_ptr<Model>(new LinearModel(number_table().feature_names)),
            std::unique_ptr<Model>(
                new LogisticModel(class_table().feature_names, {"no", "yes"}))}) {
        TrainingConfig config = config_of(split);
        config.own.of<TailoringOptions>().loss_multipliers = {loss_multiplier};
        config.own.of<TailoringOptions>().max_share = 0.9;
        const TrainingPlan plan = testing::method_of("dpse").plan(config, facts_of(*model));
        const double rho = rho_of_run(plan);
        EXPECT_LE(rho_of_group(plan, 1), rho * (1 + 1e-15)) << split;
        EXPECT_NEAR(rho_of_group(plan, 1), rho, 1e-11 * rho) << split;
        // Public shares: what is not a group's own is not charged to it.
        EXPECT_NEAR(rho_of_group(plan, 0), split == "inverse_size" ? rho / 3 : rho, 1e-11 * rho);
        EXPECT_EQ(plan.privacy->epsilon.value(), epsilon_of(plan, plan.events_of(1)));
      }
    }
  }
}

TEST(Dpse, ObjectivesSayWhatARecordCounts) {
  const LinearModel model(number_table().feature_names);
  TrainingConfig config = config_of("uniform");
  EXPECT_EQ(testing::method_of("dpse").plan(config, facts_of(model)).group_weights,
            (std::vector<double>{1, 1}));
  config.own.of<TailoringOptions>().objectives = {"mean"};
  EXPECT_EQ(testing::method_of("dpse").plan(config, facts_of(model)).group_weights,
            (std::vector<double>{800. / 1200, 800. / 400}));
}

TEST(Dpse, IsCalibratedToItsEpsilon) {
  kDpse.expect_calibrated(facts_of(LinearModel(number_table().feature_names)));
}

TEST(Dpse, RealisedCostIsNeverAboveTheReservedOne) {
  const EncodedTable numbers = number_table();
  const EncodedTable classes = class_table();
  const LinearModel linear(numbers.feature_names);
  const LogisticModel logistic(classes.feature_names, classes.classes);
  for (const double max_share : {0.5, 0.6, 1.0}) {
    for (const std::string split : {"error", "error_over_size", "root_error"}) {
      for (const auto& [table, model] :
           {std::pair<const EncodedTable&, const Model&>(numbers, linear), {classes, logistic}}) {
        TrainingConfig config = config_of(split);
        config.own.of<TailoringOptions>().max_share = max_share;
        const auto got = run(table, model, config);
        ASSERT_EQ(got.trained.realised.size(), 2U);
        double shares = 0;
        for (size_t k = 0; k < 2; ++k) {
          const RealisedCost& realised = got.trained.realised[k];
          shares += realised.share;
          EXPECT_LE(realised.share, max_share);
          EXPECT_LE(realised.rho, rho_of_group(got.plan, k) * (1 + 1e-12));
          EXPECT_LE(epsilon_of(got.plan, realised.events),
                    epsilon_of(got.plan, got.plan.events_of(k)) * (1 + 1e-9));
          // Of two groups one has 10 of 11 parts at most, since the other one has a floor.
          const double most = std::min(max_share, 1 / 1.1);
          EXPECT_NEAR(realised.rho, rho_of_run(got.plan) * (0.2 + 0.8 * realised.share / most),
                      1e-12);
        }
        EXPECT_NEAR(shares, 1, 1e-12);
      }
    }
  }
  // The smaller group, which the common model fits worse, has the larger share.
  const auto tailored = run(numbers, linear, config_of("error"));
  EXPECT_GT(tailored.trained.realised[1].share, 0.6);
  EXPECT_TRUE(run(numbers, linear, config_of("uniform")).trained.realised.empty());
}

TEST(Dpse, AGroupWithACapOfItsOwnIsChargedForNoMore) {
  const EncodedTable table = number_table();
  const LinearModel model(table.feature_names);
  TrainingConfig config = config_of("error");
  config.own.of<TailoringOptions>().max_shares = {{"Female", 0.3}};
  const auto capped = run(table, model, config);
  const double rho = rho_of_run(capped.plan);
  // The others' largest share is what floor and cap leave them: 10 of 11 parts.
  EXPECT_NEAR(rho_of_group(capped.plan, 0), rho, 1e-11 * rho);
  EXPECT_NEAR(rho_of_group(capped.plan, 1), rho * (0.2 + 0.8 * 0.3 * 1.1), 1e-11 * rho);
  EXPECT_LE(capped.trained.realised[1].share, 0.3);
  EXPECT_NEAR(capped.trained.realised[0].share + capped.trained.realised[1].share, 1, 1e-12);
  // A cap below the floor, too, and of a public split.
  config.own.of<TailoringOptions>().max_shares = {{"Female", 0.01}, {"Male", 1}};
  EXPECT_EQ(run(table, model, config).trained.realised[1].share, 0.01);
  config.own.of<TailoringOptions>().split = SplitRule::kUniform;
  EXPECT_NEAR(rho_of_group(testing::method_of("dpse").plan(config, facts_of(model)), 1),
              rho * 0.01 / 0.99, 1e-9);
}

/// A group whose share is small has more noise than its permit by itself makes.
TEST(Dpse, WhoHasASmallShareHasMoreNoise) {
  const EncodedTable table = number_table();
  const LinearModel model(table.feature_names);
  TrainingConfig config = config_of("error");
  config.num_steps = 1;
  config.tail_average = 0;
  config.learning_rate = config.final_learning_rate = 1e-3;
  // Of null records nothing but noise is seen.
  EncodedTable nobody = table;
  std::ranges::fill(nobody.contributes, uint8_t{0});
  const TrainingPlan plan = testing::method_of("dpse").plan(config, facts_of(model));
  double squares = 0;
  double expected = 0;
  constexpr int kRuns = 400;
  for (int i = 0; i < kRuns; ++i) {
    const TrainedModel trained = testing::run_with_seed(testing::method_of("dpse"), nobody, model,
                                                        plan, static_cast<uint64_t>(1000 + i));
    for (const double parameter : trained.parameters) squares += parameter * parameter;
    for (size_t k = 0; k < 2; ++k) {
      const double rho = trained.realised[k].rho - 0.2 * rho_of_run(plan);
      // Population weights: the noise of a sum over all records.
      expected += static_cast<double>(trained.parameters.size()) * 1e-6 / (2 * rho) /
                  (static_cast<double>(kRecords) * static_cast<double>(kRecords));
    }
  }
  // 400 runs of 11 parameters, seeds 1000..1399: a relative standard error of sqrt(2 / 4400); at
  // significance 1e-6 4.9 of them.
  EXPECT_NEAR(squares / expected, 1, 4.9 * std::sqrt(2.0 / (kRuns * 11)));
}

TEST(Dpse, GoesOnFromAnyOfItsStatesWithoutAskingStageOneAgain) {
  const EncodedTable table = number_table();
  const LinearModel model(table.feature_names);
  const TrainingPlan plan = testing::method_of("dpse").plan(config_of("error"), facts_of(model));
  testing::KeptStates states;
  const TrainedModel whole =
      testing::run_with_seed(kDpse.method, table, model, plan, kSeed, states);
  StepObserver silent;
  for (const TrainingState& state : states.all) {
    ASSERT_EQ(state.clip.size(), 2U);
    const TrainedModel resumed =
        kDpse.run_from(state, kDpse.charge_after_stage_one(plan), table, model, plan, silent);
    EXPECT_EQ(resumed.parameters, whole.parameters) << state.num_steps_done;
    EXPECT_EQ(resumed.realised[0].rho, whole.realised[0].rho);
  }
  TrainingState wrong = states.all[3];
  wrong.clip = {1};
  EXPECT_THROW(kDpse.run_from(wrong, kDpse.charge(plan), table, model, plan, silent), Error);
}

TrainingConfig choice_of(const std::string& split) {
  TrainingConfig config = config_of(split);
  config.own.of<TailoringOptions>().objectives = {"population", "0.5"};
  config.own.of<TailoringOptions>().loss_multipliers = {0, 2};
  return config;
}

/// Each group is charged for the best of several runs of what one of them costs it, and for stage
/// one, once.
TEST(Dpse, AChoiceIsChargedAsOne) {
  const LinearModel model(number_table().feature_names);
  for (const std::string split : {"uniform", "error"}) {
    const TrainingPlan plan = testing::method_of("dpse").plan(choice_of(split), facts_of(model));
    EXPECT_TRUE(plan.is_choice);
    TrainingConfig single = choice_of(split);
    single.own.of<TailoringOptions>().objectives = {"0.5"};
    single.own.of<TailoringOptions>().loss_multipliers = {2};
    const TrainingPlan one = testing::method_of("dpse").plan(single, facts_of(model));
    const double rho = rho_of_run(plan);
    for (size_t k = 0; k < 2; ++k) {
      const std::vector<Event> events = events_in_turn(plan.events()[0].events()[k]);
      ASSERT_EQ(events.size(), split == "uniform" ? 2U : 4U);
      const Event& best = events[0];
      ASSERT_EQ(best.kind(), Event::Kind::kRepeatAndSelect);
      EXPECT_EQ(best.mean(), 8);
      EXPECT_EQ(best.shape(), 0);
      const std::vector<Event> run = events_in_turn(best.events()[0]);
      ASSERT_EQ(run.size(), 3U);
      const Event batch = run[0].events()[0];
      ASSERT_EQ(batch.events().size(), 2U);
      EXPECT_NEAR(
          10 * 2 * testing::rho_of_gaussian(batch.events()[0]) + testing::rho_of_gaussian(run[1]),
          split == "uniform" ? rho : 0.8 * rho, 1e-11 * rho);
      EXPECT_NEAR(testing::rho_of_gaussian(run[1]), (split == "uniform" ? 0.1 : 0.08) * rho,
                  1e-11 * rho);
    }
    EXPECT_GT(plan.privacy->epsilon.value(), 1.2 * one.privacy->epsilon.value());
    // The profile of a run bounds the choice better than its Renyi divergences.
    EXPECT_EQ(plan.privacy->accountant, AccountantName::kPld);
    EXPECT_LT(plan.privacy->epsilon.value(), 0.9 * plan.by_rdp->epsilon.value());
    TrainingConfig calibrated = choice_of(split);
    calibrated.noise_multiplier.reset();
    calibrated.epsilon = 2;
    const double epsilon =
        testing::method_of("dpse").plan(calibrated, facts_of(model)).privacy->epsilon.value();
    EXPECT_LE(epsilon, 2);
    EXPECT_GT(epsilon, 1.99);
  }
}

/// With much data and little noise the goal that serves the worse group best is chosen, unless no
/// run has tried it.
TEST(Dpse, ChoosesWhatServesTheWorstGroup) {
  const EncodedTable table = number_table();
  const LinearModel model(table.feature_names);
  TrainingConfig config = config_of("uniform");
  config.delta = 0.5;  // so large an epsilon needs it
  config.num_steps = 60;
  config.own.of<TailoringOptions>().objectives = {"population", "mean"};
  config.own.of<TailoringOptions>().loss_clip = 4;
  config.own.of<TailoringOptions>().mean_runs = 12;
  const TrainingPlan plan = testing::method_of("dpse").plan(config, facts_of(model));
  int num_mean = 0;
  constexpr int kRuns = 30;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    const TrainedModel trained =
        testing::run_with_seed(testing::method_of("dpse"), table, model, plan, seed);
    ASSERT_EQ(trained.chosen.size(), 3U);
    EXPECT_EQ(trained.chosen[0].first, "chosen_group_balance");
    num_mean += trained.chosen[0].second == 1 ? 1 : 0;
    // What is told of the score is near the truth.
    const std::vector<double> losses = model.predict(table, trained.parameters, 1).loss;
    double worst = 0;
    for (const size_t group : {0, 1}) {
      double sum = 0;
      for (size_t i = 0; i < losses.size(); ++i)
        if (index_of(table.groups[i]) == group) sum += std::min(losses[i], 4.0);
      worst = std::max(worst, sum / (group == 0 ? 600 : 200));
    }
    // Noise of 4 / 200 / sqrt(2 * 0.1 * 2), five standard deviations.
    EXPECT_NEAR(trained.chosen[2].second, worst, 0.16);
  }
  // One of two goals is never tried with probability 0.16 (the distribution of mean 12), in half of
  // these cases the better one: 2.4 of 30 expected.
  EXPECT_GE(num_mean, 20);
}

TEST(Dpse, AChoiceIsRunAgainWithTheSameSeedAndHasNoStates) {
  const EncodedTable table = number_table();
  const LinearModel model(table.feature_names);
  TrainingConfig config = choice_of("error");
  const auto once = run(table, model, config);
  config.threads = 3;
  const auto again = run(table, model, config);
  EXPECT_EQ(once.trained.parameters, again.trained.parameters);
  EXPECT_EQ(once.trained.chosen, again.trained.chosen);
  ASSERT_EQ(once.trained.realised.size(), 2U);
  SeededSource source(kSeed);
  StepObserver silent;
  TrainingState later = TrainingState::start(model.initial_parameters(1));
  later.num_steps_done = 1;
  EXPECT_THROW(
      testing::method_of("dpse").run(
          {table, model, once.plan, later,
           Charge::unpaid(once.plan.events(), Relation::kZeroOut, source), source, silent}),
      Error);
}

/// With little noise a run is the descent of the mathematics, on records in double precision.
TEST(Dpse, WithoutNoiseItIsGroupLossDescent) {
  EncodedTable table = class_table();
  // So that the smaller group's loss is the larger one throughout.
  for (size_t i = 0; i < table.labels.size(); i += 4) table.labels[i] ^= 1;
  const LogisticModel model(table.feature_names, table.classes);
  const auto got = run(table, model, testing::quiet_dpse_config());

  const GroupRecords records = testing::records_in_two_groups(table);
  SimulationNoise noise(1, 1);
  SimulatedGroupAnswers answers(records, RegressionModel::kLogistic, {Relation::kZeroOut, 0.7, 0.9},
                                noise);
  const std::vector<double> expected =
      descend(answers, {10, 0.5, {StepSize::Rule::kConstant, 0.4}},
              {{0.75, 0.25}, {HUGE_VAL, HUGE_VAL}, 0.3, {0.3, 0.3}});
  // Noise of 0.7 * 0.1 * sqrt(20) on the sums of both groups, times 0.4 / 800 and 0.4 (0.25 + 0.3)
  // / 200, in each of 10 steps.
  const double stddev = 0.313 * std::hypot(0.4 / 800, 0.22 / 200) * std::sqrt(10);
  for (size_t j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(got.trained.parameters[j], expected[j], 5 * stddev);
  EXPECT_GT(std::fabs(expected[0]), 20 * stddev);
}

TEST(Dpse, NotesGroupsWithFewerRecordsThanParameters) {
  const LinearModel model(number_table().feature_names);
  TrainingFacts facts = facts_of(model);
  EXPECT_TRUE(testing::method_of("dpse").plan(config_of("error"), facts).notes.empty());
  facts.groups.shares[1] = 10. / kRecords;  // of 11 parameters
  const std::vector<std::string> notes =
      testing::method_of("dpse").plan(config_of("error"), facts).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("group Female has about 10 training records"));
}

TEST(Dpse, RefusesWhatItCannotHonour) {
  const LinearModel model(number_table().feature_names);
  const TrainingFacts facts = facts_of(model);
  TrainingConfig config = config_of("error");
  expect_refused(config, {kRecords, 4, 0, 0, 1, {}, "linear"}, "give --groups");
  TrainingFacts other = facts;
  other.groups.shares[1].reset();
  expect_refused(config, other, "the public size of group Female is not declared");
  other = facts;
  other.groups.shares[1] = 0;
  expect_refused(config, other, "the schema declares that nobody is in group Female");
  other = facts;
  other.model = "softmax";
  expect_refused(config, other, "got softmax");
  config.own.of<TailoringOptions>().max_share = 0.49;
  for (const char* split : {"error", "uniform"}) {
    config.own.of<TailoringOptions>().split = parse_split_rule(split);
    expect_refused(config, facts, "no split can meet a max_share of 0.49");
  }
  config.own.of<TailoringOptions>() = {};
  config.own.of<TailoringOptions>().max_shares = {{"Female", 0.3}, {"Male", 0.6}};
  expect_refused(config, facts, "no split can meet a max_share of 0.6, 0.3");
  config.own.of<TailoringOptions>().max_shares = {{"Females", 0.3}};
  expect_refused(config, facts, "did you mean \"Female\"?");
  config.own.of<TailoringOptions>().max_shares = {{"Female", 1.5}};
  expect_refused(config, facts, "max_share");
  config = config_of("error");
  for (const char* objective : {"worst", "-0.1", "1.1", "nan", "quantile:0"}) {
    config.own.of<TailoringOptions>().objectives = {objective};
    expect_refused(config, facts, "group_objective must be population, mean, sum, largest");
  }
  config = config_of("error");
  config.own.of<TailoringOptions>().loss_constraint = "sum";
  expect_refused(config, facts, "bound the mean of the groups instead");
  config = config_of("error");
  config.own.of<TailoringOptions>().objectives = {"mean", "1"};
  expect_refused(config, facts, "is given twice");
  config = config_of("error");
  config.own.of<TailoringOptions>().loss_multipliers = {0, 1};
  for (const double mean_runs : {0.0, 1001.0, std::nan("")}) {
    config.own.of<TailoringOptions>().mean_runs = mean_runs;
    expect_refused(config, facts, "mean_runs must lie");
  }
  config = config_of("error");
  config.own.of<TailoringOptions>().mean_runs = 5;
  expect_refused(config, facts, "mean_runs is only for a private choice");
  config = config_of("error");
  config.own.of<TailoringOptions>().loss_multipliers = {};
  expect_refused(config, facts, "group_loss_multiplier");
  config = config_of("error");
  config.relation = Relation::kReplaceOne;
  expect_refused(config, facts, "zero_out");
  config = config_of("error");
  config.epsilon = 1;
  expect_refused(config, facts, "give either --epsilon or --noise-multiplier");
  for (double TailoringOptions::*field :
       {&TailoringOptions::stage_one_fraction, &TailoringOptions::max_share,
        &TailoringOptions::feature_norm_bound, &TailoringOptions::residual_clip,
        &TailoringOptions::loss_bound, &TailoringOptions::loss_clip, &TailoringOptions::box}) {
    for (const double wrong : {-1.0, std::nan("")}) {
      config = config_of("error");
      config.own.of<TailoringOptions>().*field = wrong;
      EXPECT_THROW(testing::method_of("dpse").plan(config, facts), Error) << wrong;
      config = config_of("error");
      config.own.of<TailoringOptions>().loss_multipliers = {1, wrong};
      EXPECT_THROW(testing::method_of("dpse").plan(config, facts), Error) << wrong;
    }
  }
}

}  // namespace equinoise::dpse_test
