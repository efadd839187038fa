// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/quiet_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/matchers.h"

namespace equinoise::quiet_plan_test {

/// People in groups of these sizes.
struct People {
  Schema schema;
  Grouping groups;
  TrainingFacts facts;
  OpenChoices open;
  TrainingConfig config;
};

People people(const std::vector<int64_t>& sizes, double epsilon) {
  People people;
  int64_t num_records = 0;
  std::string values;
  std::string declared;
  for (size_t k = 0; k < sizes.size(); ++k) {
    num_records += sizes[k];
    values += fmt::format("{}\"g{}\"", k == 0 ? "" : ", ", k);
    declared += fmt::format("[[public.groups]]\ngroup = {{ group = \"g{}\" }}\nnum_records = {}\n",
                            k, sizes[k]);
  }
  people.schema = parse_schema(fmt::format(R"(schema = "equinoise/1"
dataset = "people"
reviewed = true
target = "income"
[public]
num_records = {}
{}
[columns.age]
type = "numeric"
bounds = [0, 90]
[columns.group]
type = "categorical"
values = [{}]
[columns.income]
type = "categorical"
values = ["low", "high"]
)",
                                           num_records, declared, values),
                               "people.toml");
  people.groups = list_groups(people.schema, {"group"});
  people.facts = {num_records, 20, 0, sizes.size()};
  people.facts.model = "logistic";
  people.facts.row_norm = 3;
  people.facts.groups = public_groups_of(people.groups, num_records);
  people.open.learning_rate = true;
  people.config.epsilon = epsilon;
  people.config.batch_size = default_batch_size(num_records);
  people.config.num_steps = default_num_steps(num_records);
  return people;
}

SettledPlan settle(const People& people, const char* method) {
  return settle_plan(*find_training_method(method).make(), people.config, people.facts, people.open,
                     &people.groups, {}, people.schema);
}

const std::vector<std::vector<int64_t>> kTables = {
    {20'000, 20'000},    {30'000, 900},     {30'000, 20'000, 100},  {500, 400, 300},
    {9'000, 300, 40, 5}, {200'000, 30, 30}, {30'000, 300, 300, 300}};

/// Whatever the table, noise leaves rates at a quarter or has all that the method can give up, and
/// no more than it needs is given up.
TEST(QuietPlan, GivesUpNoMoreThanNoiseAsks) {
  std::set<double> balances;
  size_t num_pooled = 0;
  for (const auto& sizes : kTables) {
    for (const double epsilon : {0.5, 8.0}) {
      const People here = people(sizes, epsilon);
      const SettledPlan balanced = settle(here, "balanced");
      const double balance =
          balanced.plan.config.own.of<BalancedOptions>().group_balance.value_or(1);
      balances.insert(balance);
      const double enough = kMinOfRate * settle(here, "dpsgd").part_of_rate.value() * (1 - 1e-3);
      EXPECT_GE(balanced.part_of_rate, enough);
      if (balance < 1) {
        People more = here;
        more.config.own.of<BalancedOptions>().group_balance = balance + 0.1;
        EXPECT_LT(settle(more, "balanced").part_of_rate, enough * (1 + 2e-3));
      }
      for (const char* method : {"mgr_w", "ags"}) {
        const SettledPlan found = settle(here, method);
        EXPECT_EQ(found.pooled.has_value(), found.plan.facts.num_groups < sizes.size()) << method;
        EXPECT_GE(found.plan.facts.num_groups, 2U) << method;
        if (!found.pooled) continue;
        ++num_pooled;
        EXPECT_EQ(found.pooled->groups.size(), found.plan.facts.num_groups);
        People apart = here;
        apart.config.own.of<WorstGroupOptions>().pool_below = 0;
        const SettledPlan without = settle(apart, method);
        EXPECT_LT(without.part_of_rate, kMinOfRate) << method;
        EXPECT_GE(found.part_of_rate, without.part_of_rate) << method;
        // Who is in which group changes nothing of what a run costs.
        EXPECT_NEAR(without.plan.privacy->epsilon.value(), found.plan.privacy->epsilon.value(),
                    1e-3 * epsilon);
      }
    }
  }
  EXPECT_GT(balances.size(), 2U);
  EXPECT_GT(num_pooled, 8U);
}

/// A number is missed by as much as a slow model has not learnt yet: nearly all of the pace of
/// dpsgd is left, or all that the method can give up is.
TEST(QuietPlan, RegressionGivesUpMoreThanItsPace) {
  size_t num_differ = 0;
  for (const auto& sizes : kTables) {
    People here = people(sizes, 0.5);
    const SettledPlan of_classes = settle(here, "balanced");
    here.facts.model = "linear";
    const double enough =
        kMinOfRateOfNumbers * settle(here, "dpsgd").part_of_rate.value() * (1 - 1e-3);
    const SettledPlan of_numbers = settle(here, "balanced");
    EXPECT_GE(of_numbers.part_of_rate, enough);
    const auto balance_of = [](const SettledPlan& settled) {
      return settled.plan.config.own.of<BalancedOptions>().group_balance.value_or(1);
    };
    num_differ += balance_of(of_numbers) < balance_of(of_classes);
    const SettledPlan pooled = settle(here, "mgr_w");
    EXPECT_TRUE(*pooled.part_of_rate >= enough || pooled.plan.facts.num_groups == 2);
  }
  EXPECT_GT(num_differ, 0U);
}

/// Whatever the budget: under constraints a caution comes at rates a fifteenth of the usual ones,
/// of dpsgd at a twenty-fifth.
TEST(QuietPlan, UnderConstraintsSlowRatesAreToldEarlier) {
  size_t num_between = 0;
  for (const double epsilon : {0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 1.0}) {
    People here = people({700, 300}, epsilon);
    const ConstraintDomain domain = {{{"group", {"g0", "g1"}}}, {"low", "high"}};
    here.config.constraints = testing::shared_program("fnr:0.2", domain);
    for (const auto& [method, slowest] : {std::pair("raco_dp", 15.0), std::pair("dpsgd", 25.0)}) {
      People asked = here;
      if (method == std::string("dpsgd")) asked.config.constraints = nullptr;
      const SettledPlan found = settle(asked, method);
      EXPECT_EQ(found.warning.has_value(), *found.part_of_rate * slowest < 1) << method << epsilon;
      num_between += *found.part_of_rate < 1 / 15.0 && *found.part_of_rate > 1 / 25.0;
    }
  }
  EXPECT_GT(num_between, 1U);
}

/// What noise may ruin is told with the method that noise does not ruin, where there is one.
TEST(QuietPlan, OfARegressionThatNoiseMayRuinAnotherMethodIsNamed) {
  People here = people({300, 200}, 0.1);
  for (const char* model : {"linear", "logistic"}) {
    here.facts.model = model;
    for (const char* method : {"dpsgd", "mgr_w"}) {
      const SettledPlan found = settle(here, method);
      ASSERT_TRUE(found.warning) << model << method;
      EXPECT_EQ(found.warning->find("sufficient_statistics") != std::string::npos,
                model == std::string("linear"));
    }
  }
}

/// Steps along squared losses swing out beyond two over their curvature, noise or not.
TEST(QuietPlan, RegressionWithoutNoiseTakesStepsThatDoNotSwingOut) {
  People here = people(kTables[0], 1);
  here.config.epsilon.reset();
  EXPECT_EQ(settle(here, "sgd").plan.config.learning_rate, here.config.learning_rate);
  here.facts.model = "linear";
  const SettledPlan sgd = settle(here, "sgd");
  EXPECT_LE(sgd.plan.config.learning_rate, 1 / (here.facts.row_norm * here.facts.row_norm));
  EXPECT_GT(sgd.plan.config.learning_rate, 0.9 / (here.facts.row_norm * here.facts.row_norm));
  EXPECT_DOUBLE_EQ(sgd.plan.config.final_learning_rate * here.config.learning_rate,
                   here.config.final_learning_rate * sgd.plan.config.learning_rate);
  ASSERT_EQ(sgd.plan.notes.size(), 1);
  EXPECT_EQ(stable_rate(here.config, here.facts), sgd.plan.config.learning_rate);
  here.open.learning_rate = false;
  EXPECT_EQ(settle(here, "sgd").plan.config.learning_rate, here.config.learning_rate);
}

TEST(QuietPlan, WithoutBalanceAllRecordsCountAlike) {
  People here = people({9'000, 300, 40}, 1);
  here.config.own.of<BalancedOptions>().group_balance = 0;
  for (const double weight : settle(here, "balanced").plan.group_weights)
    EXPECT_NEAR(weight, 1, 1e-12);
  here.config.own.of<BalancedOptions>().group_balance = 1;
  const SettledPlan alike = settle(here, "balanced");
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(alike.plan.group_weights[k] * *here.facts.groups.shares[k], 1.0 / 3, 1e-12);
}

/// A combination of values that nobody has is no reason to refuse the others.
TEST(QuietPlan, EmptyGroupsAreNotTrained) {
  for (const char* method : {"mgr_w", "mgr", "ags", "phased_erm", "oco_exp3"}) {
    People here = people({90'000, 70'000, 0, 70'000}, 8);
    const std::vector<std::string> others = {"g0", "g1", "g3"};
    EXPECT_EQ(settle(here, method).plan.facts.groups.names, others) << method;
    EXPECT_EQ(settle(here, method).pooled->groups.size(), 3U) << method;
    here.config.own.of<WorstGroupOptions>().pool_below = 1;
    EXPECT_EQ(settle(here, method).plan.facts.groups.names, others) << method;
    EXPECT_THROW(static_cast<void>(settle(people({9'000, 0}, 8), method)), Error) << method;
  }
  const SettledPlan pooled = settle(people({90'000, 600, 0, 500}, 1), "mgr_w");
  EXPECT_EQ(pooled.plan.facts.groups.names, (std::vector<std::string>{"g0", "(small groups)"}));
  EXPECT_THAT(pooled.plan.notes, Contains(HasSubstr("trained as one (g1; g3)")));
}

TEST(QuietPlan, AnEmptyGroupCountsAsTheSmallestOther) {
  const std::vector<double> weights =
      settle(people({9'000, 0, 3'000}, 8), "balanced").plan.group_weights;
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_GT(weights[2], weights[0]);
  EXPECT_EQ(weights[1], weights[2]);
}

/// What the tool would choose is not paid for where it cannot be any good; what somebody chose is
/// theirs.
TEST(QuietPlan, RefusesWhatNoiseWouldRuin) {
  People here = people({1'997, 3}, 2);
  for (const char* method : {"mgr_w", "mgr", "ags"}) {
    const SettledPlan found = settle(here, method);
    ASSERT_TRUE(found.refusal) << method;
    EXPECT_THAT(*found.refusal, HasSubstr("above 6"));
    EXPECT_THAT(*found.refusal, HasSubstr("Use dpsgd"));
  }
  EXPECT_FALSE(settle(here, "dpsgd").refusal);
  EXPECT_FALSE(settle(people({1'000, 1'000}, 2), "mgr_w").refusal);
  here.open.learning_rate = false;
  EXPECT_FALSE(settle(here, "mgr_w").refusal);
  EXPECT_TRUE(settle(here, "mgr_w").warning);
}

/// What somebody chose stays, and the rates alone are lowered for it.
TEST(QuietPlan, WhatWasChosenStays) {
  People here = people({9'000, 300, 40, 5}, 1);
  here.config.own.of<WorstGroupOptions>().pool_below = 100;
  here.config.own.of<BalancedOptions>().group_balance = 1;
  const SettledPlan pooled = settle(here, "mgr_w");
  EXPECT_EQ(pooled.plan.facts.groups.names,
            (std::vector<std::string>{"g0", "g1", "(small groups)"}));
  EXPECT_NEAR(*pooled.plan.facts.groups.shares[2], 45.0 / 9'345, 1e-12);
  EXPECT_THAT(pooled.plan.notes, Contains(HasSubstr("trained as one (g2; g3)")));
  EXPECT_EQ(settle(here, "balanced").plan.config.own.of<BalancedOptions>().group_balance, 1);
  here.open.learning_rate = false;
  EXPECT_EQ(settle(here, "mgr_w").plan.config.learning_rate, here.config.learning_rate);
  EXPECT_LT(settle(here, "mgr_w").part_of_rate, 1) << "known all the same";
  here.config.own = {};
  EXPECT_FALSE(settle(here, "mgr_w").pooled);
}

}  // namespace equinoise::quiet_plan_test
