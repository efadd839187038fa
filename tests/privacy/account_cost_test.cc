// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/account_cost.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/group_events.h"
#include "tests/test_support.h"

namespace equinoise::account_cost_test {

const Event kFemale = Event::gaussian(2);
const Event kMale = Event::gaussian(4);
const Event kBySex = Event::parallel("sex", {"Female", "Male"}, {kFemale, kMale});

/// A test for each rule by which an account can be kept.
class AccountCost : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { budget_.accountant = GetParam(); }
  double cost(const Spends& spends) const {
    return account_guarantee(budget_, spends).epsilon.value();
  }
  /// The same by a rule that lets groups be in parallel over entries.
  double cost_of_fixed_groups(const Spends& spends) const {
    Budget fixed = budget_;
    fixed.fixed_groups = true;
    return account_guarantee(fixed, spends).epsilon.value();
  }
  double cost(const std::string& group, const Spends& spends) const {
    Budget fixed = budget_;
    fixed.fixed_groups = true;
    return group_guarantee(fixed, {"sex", group, Epsilon(1)}, spends).epsilon.value();
  }
  /// As little as the accountant can bound.
  static Event tiny() {
    return GetParam() == "pld" ? Event::gaussian(1e4)
                               : Event::zcdp(std::numeric_limits<double>::denorm_min());
  }

  Budget budget_{Epsilon(3), Delta(1e-6), Relation::kZeroOut};
};

INSTANTIATE_TEST_SUITE_P(Rules, AccountCost, ::testing::ValuesIn(account_rules()),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(AccountCost, NothingCostsNothing) {
  EXPECT_EQ(cost({}), 0);
  EXPECT_EQ(cost("Female", {}), 0);
}

/// Other people may have a group's name where a division is made another way: costs add up, and a
/// cap holds for the group of that name in each.
TEST_P(AccountCost, DivisionsOfOneNameAddUp) {
  const auto by_sex = [](const std::string& digest, double female, double male) {
    return Event::parallel("sex#" + std::string(15, '0') + digest, {"Female", "Male"},
                           {Event::gaussian(female), Event::gaussian(male)});
  };
  const Spends twice_the_same = {{by_sex("1", 2, 40)}, {by_sex("1", 40, 2)}};
  const Spends two_divisions = {{by_sex("1", 2, 40)}, {by_sex("2", 40, 2)}};
  const Spends everybody = {{Event::gaussian(2)}, {Event::gaussian(2)}};
  // By "pld" the costliest group of each entry counts.
  if (GetParam() != "pld") {
    EXPECT_LT(cost_of_fixed_groups(twice_the_same), 0.9 * cost(everybody));
  }
  EXPECT_NEAR(cost_of_fixed_groups(two_divisions), cost(everybody), 1e-9);
  for (const std::string group : {"Female", "Male"}) {
    EXPECT_LT(cost(group, twice_the_same), 0.9 * cost(everybody));
    EXPECT_NEAR(cost(group, two_divisions), cost(everybody), 1e-9);
  }
}

/// Who is in group A when the first entry reads the table and in B when the second does has paid
/// for both: entries cost what their costliest groups pay.
TEST_P(AccountCost, WhoChangesGroupsBetweenEntriesHasPaidForBoth) {
  const auto by_sex = [](const std::string& partition, double female, double male) {
    return Event::parallel(partition, {"Female", "Male"},
                           {Event::gaussian(female), Event::gaussian(male)});
  };
  const Spends turned = {{by_sex("sex", 2, 40)}, {by_sex("sex", 40, 2)}};
  const Spends of_that_person = {{Event::gaussian(2)}, {Event::gaussian(2)}};
  EXPECT_NEAR(cost(turned), cost(of_that_person), 1e-9);
  // Nobody has to be in a group of the same name, or of as many.
  const Event by_race = Event::parallel(
      "sex", {"A", "B", "C"}, {Event::gaussian(40), Event::gaussian(3), Event::gaussian(5)});
  EXPECT_NEAR(cost({{by_sex("sex", 2, 40)}, {by_race}}),
              cost({{Event::gaussian(2)}, {Event::gaussian(3)}}), 1e-9);
  // In a repetition, in a list, and where an event stands in for itself.
  const Spends nested = {{Event::repeat(2, by_sex("sex", 3, 40))},
                         {Event::composed({by_sex("sex", 40, 3), Event::gaussian(9)})},
                         {by_sex("sex", 40, 3), by_sex("sex", 3, 40)}};
  EXPECT_GE(cost(nested), cost({{Event::repeat(2, Event::gaussian(3))},
                                {Event::gaussian(3), Event::gaussian(9)},
                                {Event::gaussian(3), Event::gaussian(40)}}) *
                              (1 - 1e-9));
  // Failures, too, are those of the group that is most probable to fail in each.
  const auto failing = [](double female, double male) {
    return Event::parallel("sex", {"Female", "Male"},
                           {Event::approx_dp(0.01, female), Event::approx_dp(0.01, male)});
  };
  if (GetParam() == "rdp") {
    EXPECT_NE(
        failures_exceed_share(budget_, {{failing(5e-8, 1e-12)}, {failing(1e-12, 5e-8)}}).excess,
        "");
  }
}

/// Random entries of groups, and every way of a person through them: none has paid more than is
/// told.
TEST_P(AccountCost, NoWayThroughTheGroupsCostsMore) {
  std::mt19937 random(23);
  const auto some = [&] { return Event::gaussian(3 + static_cast<double>(random() % 40)); };
  for (int trial = 0; trial < 5; ++trial) {
    Spends spends;
    for (int i = 0; i < 3; ++i) {
      spends.push_back({Event::parallel("sex", {"a", "b"}, {some(), some()}),
                        Event::parallel("city", {"c", "d"}, {some(), some()})});
      if (random() % 2 == 0) spends.back().push_back(spends.back()[0]);
    }
    const double told = cost(spends);
    for (int way = 0; way < 64; ++way) {
      Spends path;
      for (size_t i = 0; i < spends.size(); ++i) {
        const int choice = way >> (2 * i);
        path.push_back(
            events_of_group(events_of_group(spends[i], "sex", (choice & 1) != 0 ? "a" : "b"),
                            "city", (choice & 2) != 0 ? "c" : "d"));
      }
      EXPECT_LE(cost(path), told * (1 + 1e-12)) << trial << " " << way;
    }
  }
}

TEST_P(AccountCost, AUnitWithRowsInSeveralGroupsPaysForTheWholeRelease) {
  const auto strata = [](const std::vector<std::string>& names) {
    return Event::rows_of_unit(
        3, Event::parallel("sex", names, {Event::laplace(60), Event::laplace(90)}));
  };
  // Lists of groups need not agree: no costs of these groups are added up by name.
  const Spends spends = {{strata({"Female", "Male"})}, {strata({"F", "M"})}};
  EXPECT_EQ(cost_of_fixed_groups(spends), cost(spends));
  EXPECT_EQ(cost("Male", spends), cost(spends));
  EXPECT_GT(cost(spends), cost({spends[0]}));
  EXPECT_GT(cost({spends[0]}), cost({{spends[0][0].events()[0]}}));
}

/// A stratum that draws nothing is none that a unit's rows may be in, in later entries neither: all
/// others draw the same noise, so they are one vector, whose cell a unit changes by its rows.
TEST_P(AccountCost, AStratumWithoutNoiseCostsAUnitNothingInAnyEntry) {
  const Event error = Event::sampler_error(0x1p-90);
  const Event noise = Event::composed({Event::gaussian(60), error});
  const Event release = Event::rows_of_unit(
      3, Event::parallel("stratum", {"a", "b", "nobody"}, {noise, noise, Event::composed({})}));
  const Event as_one = Event::composed({Event::gaussian(20), error});
  EXPECT_NEAR(cost({{release}}), cost({{as_one}}), 1e-9);
  EXPECT_NEAR(cost({{release}, {release}}), cost({{as_one}, {as_one}}), 1e-9);
}

TEST_P(AccountCost, NothingChangesWhereGroupsPayAlike) {
  const Event alike =
      Event::parallel("sex", {"Female", "Male", "nobody"}, {kMale, kMale, Event::composed({})});
  const Spends spends = {{alike, Event::gaussian(9)}, {alike}, {Event::repeat(3, alike)}};
  EXPECT_NEAR(cost(spends), cost_of_fixed_groups(spends), 1e-12);
  EXPECT_NEAR(cost(spends), cost({{kMale, Event::gaussian(9)}, {kMale}, {Event::repeat(3, kMale)}}),
              1e-12);
}

/// A cap of a group is nothing for somebody who may have been in another one.
TEST_P(AccountCost, WithoutTheStatementAGroupPaysWhatTheCostliestDid) {
  const Spends spends = {{Event::parallel("sex", {"Female", "Male"}, {kFemale, kMale})},
                         {Event::gaussian(9)}};
  EXPECT_EQ(group_guarantee(budget_, {"sex", "Male", Epsilon(1)}, spends).epsilon.value(),
            cost(spends));
}

TEST_P(AccountCost, NeverFallsWhateverIsAdded) {
  std::mt19937 random(7);
  Spends spends;
  double before = 0;
  for (int i = 0; i < 8; ++i) {
    const Event any[] = {Event::gaussian(1 + 0.5 * static_cast<double>(random() % 100)), tiny(),
                         Event::gaussian(20), Event::repeat(3, Event::gaussian(30))};
    spends.push_back({any[random() % std::size(any)]});
    const double after = cost(spends);
    EXPECT_GE(after, before) << i;
    before = after;
  }
}

TEST_P(AccountCost, TinySpendsCount) {
  double before = 0;
  for (const size_t count : {1, 2, 7}) {
    const double after = cost(Spends(count, {Event::gaussian(25)}));
    EXPECT_GT(after, before);
    before = after;
  }
  EXPECT_GE(cost({{Event::gaussian(1)}, {tiny()}}), cost({{Event::gaussian(1)}}));
}

TEST_P(AccountCost, LaterEntriesAreNotCheaperThanOnePlanOfAll) {
  const Spends spends = {{Event::gaussian(5)}, {Event::gaussian(3)}, {Event::gaussian(9)}};
  EXPECT_GE(cost(spends), fixed_plan_epsilon(budget_, spends, budget_.accountant).value());
}

TEST_P(AccountCost, GroupsInParallelAreAMaximumAndOverlapsAdd) {
  EXPECT_EQ(cost("Female", {{kBySex}}), cost({{kFemale}}));
  EXPECT_EQ(cost("Male", {{kBySex}}), cost({{kMale}}));
  // Who is in none of the named groups may be in any.
  EXPECT_EQ(cost("Other", {{kBySex}}), cost({{kBySex}}));
  EXPECT_NEAR(cost({{kBySex}}), cost({{kFemale}}), 1e-3 * cost({{kFemale}}));
  // In groups of another division the costliest one counts, and it adds.
  const Event by_race = Event::parallel("race", {"A", "B"}, {kFemale, kMale});
  EXPECT_NEAR(cost("Male", {{kBySex, by_race}}), cost({{kMale, kFemale}}),
              1e-3 * cost({{kMale, kFemale}}));
  EXPECT_GT(cost({{kBySex, by_race}}), 1.2 * cost({{kBySex}}));
}

TEST_P(AccountCost, AGroupCostsAtMostWhatEverybodyDoes) {
  const Spends spends = {{kBySex}, {Event::gaussian(6)}, {kBySex, Event::gaussian(9)}};
  for (const std::string group : {"Female", "Male", "Other"}) {
    EXPECT_LE(cost(group, spends), cost(spends) * (1 + 1e-6)) << group;
  }
  EXPECT_LT(cost("Male", spends), cost("Female", spends));
}

/// Women who were counted as two groups of people would be told too small an epsilon.
TEST_P(AccountCost, ADivisionThatIsNamedOtherwiseIsRefused) {
  const Event renamed = Event::parallel("sex", {"men", "women"}, {kMale, kFemale});
  EXPECT_ERROR(kUsage, HasSubstr("\"sex\" is divided into Female, Male and into men, women"),
               cost_of_fixed_groups({{kBySex}, {renamed}}));
  EXPECT_ERROR(kUsage, HasSubstr("\"sex\" is divided into Female, Male and into men, women"),
               cost({{Event::gaussian(9)}, {kBySex, renamed}}));
  const Event partly = Event::parallel("sex", {"Male"}, {kMale});
  EXPECT_THROW(cost_of_fixed_groups({{kBySex}, {Event::gaussian(9)}, {partly}}), Error);
  EXPECT_GE(cost({{kBySex}, {partly}}), cost({{kFemale}, {kMale}}) * (1 - 1e-12));
  const Event elsewhere = Event::parallel("gender", {"men", "women"}, {kMale, kFemale});
  EXPECT_GE(cost({{kBySex}, {elsewhere}}), cost({{kFemale}, {kFemale}}) * (1 - 1e-3));
}

TEST_P(AccountCost, AnEventThatCannotBeBoundedIsNamed) {
  const Event batch = Event::poisson_sampled(0.1, {Event::repeat_and_select(5, 1, kMale)});
  EXPECT_ERROR(kUsage, HasSubstr("best of about 5 runs"), cost({{Event::gaussian(2)}, {batch}}));
}

TEST(AccountCostRdp, OneEntryIsAFixedPlanAndTheNextOnesShareDelta) {
  const Budget budget{Epsilon(3), Delta(1e-6), Relation::kZeroOut};
  EXPECT_EQ(account_guarantee(budget, {{kMale}}).epsilon.value(),
            smallest_guarantee(Relation::kZeroOut, {kMale}, Delta(1e-6)).epsilon.value());
  RdpAccountant both(Relation::kZeroOut, budget.rdp_orders);
  both.compose(kMale);
  const double favoured = both.optimal_order(Delta(1e-6));
  both.compose(kFemale);
  EXPECT_NEAR(account_guarantee(budget, {{kMale}, {kFemale}}).epsilon.value(),
              both.adaptive_epsilon(Delta(1e-6 * 15 / 16), favoured).value(), 1e-12);
}

/// PLD can bound a batch under replace_one, but no entry could ever follow.
TEST(AccountCostRdp, TakesNoFirstEntryThatRdpCannotBound) {
  const Budget budget{Epsilon(3), Delta(1e-6), Relation::kReplaceOne};
  const Event batch = Event::poisson_sampled(0.01, {Event::gaussian(2)});
  EXPECT_NO_THROW(find_accountant("pld").make(Relation::kReplaceOne, {batch}));
  EXPECT_THROW(account_guarantee(budget, {{batch}}), Error);
}

TEST(AccountCostRdp, NeverFallsForAnyMixtureOfEvents) {
  const Budget budget{Epsilon(100), Delta(1e-6), Relation::kZeroOut};
  std::mt19937 random(11);
  const Event any[] = {kBySex,
                       Event::repeat(20, Event::poisson_sampled(0.01, {Event::gaussian(1.2)})),
                       Event::repeat(30, Event::poisson_sampled(0.01, {Event::gaussian(1.2)})),
                       Event::gaussian(30),
                       Event::zcdp(1e-300),
                       Event::pure(1e-3),
                       Event::composed({kMale, kBySex}),
                       Event::approx_dp(0.01, 1e-12)};
  Spends spends;
  double before = 0;
  for (int i = 0; i < 60; ++i) {
    spends.push_back({any[random() % std::size(any)]});
    if (random() % 2 == 0) spends.back().push_back(any[random() % std::size(any)]);
    const double after = account_guarantee(budget, spends).epsilon.value();
    ASSERT_GE(after, before) << i;
    before = after;
  }
}

TEST(AccountCostPld, OneEntryHasAllOfDeltaOfSeveralEachHalfOfTheOneBefore) {
  const Budget budget{Epsilon(3), Delta(1e-6), Relation::kZeroOut, "pld"};
  const auto alone = [](const Event& event, double delta) {
    return find_accountant("pld").make(Relation::kZeroOut, {event})->epsilon(Delta(delta)).value();
  };
  EXPECT_EQ(account_guarantee(budget, {{kMale}}).epsilon.value(), alone(kMale, 1e-6));
  EXPECT_NEAR(account_guarantee(budget, {{kMale}, {kFemale}, {kMale}}).epsilon.value(),
              alone(kMale, 0.5e-6) + alone(kFemale, 0.25e-6) + alone(kMale, 0.125e-6), 1e-12);
  // The shares belong to entries, whether or not they touch the group.
  const GroupCap cap{"sex", "Male", Epsilon(1)};
  const Event female_only =
      Event::parallel("sex", {"Female", "Male"}, {kFemale, Event::composed({})});
  Budget fixed = budget;
  fixed.fixed_groups = true;
  EXPECT_NEAR(group_guarantee(fixed, cap, {{female_only}, {kMale}}).epsilon.value(),
              alone(kMale, 0.25e-6), 1e-12);
}

/// What an adaptive process may lose to failures is fixed in advance.
TEST(AccountCostFailures, HaveTheirOwnShareFromTheSecondEntryOn) {
  const Budget budget{Epsilon(1), Delta(1e-6), Relation::kZeroOut};
  const std::vector<Event> failing = {Event::gaussian(20), Event::sampler_error(1.6e-8)};
  EXPECT_EQ(failures_exceed_share(budget, {failing}).excess, "");
  // (1 + e) 1.6e-8 = 5.9e-8 is below delta / 16 = 6.25e-8, twice that is not.
  EXPECT_EQ(failures_exceed_share(budget, {failing, {Event::gaussian(20)}}).excess, "");
  EXPECT_THAT(failures_exceed_share(budget, {failing, failing}).excess, HasSubstr("1.19e-07"));
  EXPECT_EQ(account_guarantee(budget, {failing, failing}).epsilon.value(),
            account_guarantee(budget, {{failing[0]}, {failing[0]}}).epsilon.value());
}

TEST(AccountCostFailures, OfABudgetThatPromisesNothingAreNeverSmallEnough) {
  const Budget budget{Epsilon(1e12), Delta(1e-6), Relation::kZeroOut};
  const std::vector<Event> failing = {Event::gaussian(20), Event::sampler_error(1e-40)};
  EXPECT_NE(failures_exceed_share(budget, {failing, failing}).excess, "");
  EXPECT_EQ(failures_exceed_share(budget, {{Event::gaussian(1)}, {Event::gaussian(1)}}).excess, "");
}

/// The limit of the account counts, not what an entry asks for.
TEST(AccountCostFailures, UnderALargeBudgetOneTrainingRunIsAllAndTheBudgetIsNamed) {
  const std::vector<Event> run = {Event::gaussian(10), Event::sampler_error(1e-34)};
  Budget budget{Epsilon(80), Delta(1e-5), Relation::kZeroOut};
  const FailureExcess found = failures_exceed_share(budget, {run, run});
  EXPECT_THAT(found.excess, HasSubstr("could take 1 of delta"));
  // ln(6.25e-7 / 2e-34) = 63.3.
  EXPECT_THAT(found.advice,
              HasAll("that of the account's budget, 80,", "at 63.3 or less they would fit"));
  // No epsilon helps where even 0, at which errors count twice, is too much.
  const std::vector<Event> full = {Event::sampler_error(1e-10), Event::approx_dp(0, 6.248e-7)};
  EXPECT_EQ(failures_exceed_share(budget, {{Event::sampler_error(1e-10)}, full}).advice,
            "ask for a smaller delta");
  EXPECT_THAT(too_large_for_several(budget), HasSubstr("one training run only"));
  budget.epsilon = Epsilon(63.3);
  EXPECT_EQ(failures_exceed_share(budget, {run, run}).excess, "");
  EXPECT_THAT(
      failures_exceed_share({Epsilon(63.4), budget.delta, budget.relation}, {run, run}).excess,
      HasSubstr("failures"));
  budget.epsilon = Epsilon(60);
  EXPECT_EQ(too_large_for_several(budget), "");
  budget.group_caps = {{"sex", "Female", Epsilon(80)}};
  budget.fixed_groups = true;
  EXPECT_THAT(failures_exceed_share(budget, {run, run}).advice, HasSubstr("the cap of sex=Female"));
  EXPECT_THAT(too_large_for_several(budget), HasSubstr("at epsilon 80"));
  budget.accountant = "pld";
  EXPECT_EQ(too_large_for_several(budget), "");
}

/// Twice the error of a run is what it costs at epsilon 0.
TEST(AccountCostFailures, AtADeltaBelowSamplerErrorsALargerOneIsAdvised) {
  const Budget budget{Epsilon(1), Delta(1e-32), Relation::kZeroOut};
  EXPECT_THAT(too_large_for_several(budget),
              AllOf(HasSubstr("a larger delta"), Not(HasSubstr("nan"))));
  const std::vector<Event> run = {Event::gaussian(10), Event::sampler_error(1e-33)};
  EXPECT_THAT(failures_exceed_share(budget, {run, run}).advice,
              AllOf(HasSubstr("a larger delta"), Not(HasSubstr("smaller delta"))));
}

TEST(AccountCostFailures, DeltasAreNotTheBudgetsFault) {
  const Budget budget{Epsilon(1), Delta(1e-6), Relation::kZeroOut};
  const std::vector<Event> failing = {Event::approx_dp(0.1, 5e-8)};
  EXPECT_EQ(failures_exceed_share(budget, {failing, failing}).advice, "ask for a smaller delta");
}

}  // namespace equinoise::account_cost_test
