// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/accountant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/test_support.h"

namespace equinoise::accountant_test {

TEST(Accountants, AreFoundByNameAndTheErrorNamesThem) {
  for (const AccountantRow& row : accountant_rows()) {
    EXPECT_EQ(find_accountant(row.name).name, row.name);
    EXPECT_EQ(row.make(Relation::kZeroOut, {})->epsilon(Delta(1e-6)).value(), 0);
  }
  EXPECT_ERROR(kUsage,
               HasSubstr("there is no accountant \"prv\"; choose one of smallest, zcdp, rdp, pld"),
               find_accountant("prv"));
}

/// Nothing is gained by one accountant where another has less, at any delta and number of steps.
TEST(Accountants, TheSmallestIsAboveNone) {
  struct Plan {
    int64_t steps;
    double delta;
    const char* least;
  };
  for (const Plan& plan :
       {Plan{1, 1e-5, "pld"}, Plan{100, 1e-15, "pld"}, Plan{10'000, 1e-18, "pld"},
        Plan{100'000, 1e-14, "pld"}, Plan{10'000'000, 1e-6, "pld"}}) {
    const std::vector<Event> run = {
        Event::repeat(plan.steps, Event::poisson_sampled(0.001, {Event::gaussian(4)}))};
    const Guarantee least = smallest_guarantee(Relation::kZeroOut, run, Delta(plan.delta));
    EXPECT_EQ(to_string(least.accountant), plan.least) << plan.steps;
    for (const char* name : {"rdp", "pld"}) {
      EXPECT_LE(
          least.epsilon.value(),
          find_accountant(name).make(Relation::kZeroOut, run)->epsilon(Delta(plan.delta)).value())
          << name << " " << plan.steps;
    }
    if (plan.steps > 100'000) continue;  // seconds
    const NamedDelta back = smallest_delta(Relation::kZeroOut, run, least.epsilon);
    EXPECT_LE(back.delta, plan.delta * 1.01);
  }
}

/// At a noise multiplier and a rate that make many steps nearly Gaussian the central limit tells
/// how small an epsilon must be: mu = q sqrt(steps (exp(1 / noise^2) - 1)).
TEST(Accountants, TinyDeltasAreNearTheCentralLimit) {
  const double mu = 0.01 * std::sqrt(100 * std::expm1(1 / (50.0 * 50.0)));
  const std::vector<Event> run = {
      Event::repeat(100, Event::poisson_sampled(0.01, {Event::gaussian(50)}))};
  for (const double delta : {1e-9, 1e-15}) {
    const double limit = find_accountant("pld")
                             .make(Relation::kZeroOut, {Event::gaussian(1 / mu)})
                             ->epsilon(Delta(delta))
                             .value();
    const double epsilon =
        find_accountant("pld").make(Relation::kZeroOut, run)->epsilon(Delta(delta)).value();
    EXPECT_NEAR(epsilon, limit, 0.05 * limit) << delta;
  }
}

/// What is said of no answer is its cause, and whether noise would help.
TEST(Accountants, ARefusalOfLossDistributionsNamesItsCause) {
  const auto refusal = [](const std::vector<Event>& events, double delta) {
    return error_of(ErrorKind::kUsage, [&] {
      find_accountant("pld").make(Relation::kZeroOut, events)->epsilon(Delta(delta));
    });
  };
  EXPECT_THAT(refusal({Event::gaussian(3), Event::approx_dp(0.5, 1e-7)}, 1e-8),
              HasAll("a delta of their own take 1e-07", "more noise does not"));
  for (const char* name : {"rdp", "pld"}) {
    for (const Event& failure : {Event::approx_dp(0.5, 1e-7), Event::sampler_error(1e-7)}) {
      EXPECT_ERROR(kUsage, HasSubstr("use a larger delta (more noise does not help)"),
                   find_accountant(name)
                       .make(Relation::kZeroOut, {Event::gaussian(3), failure})
                       ->epsilon(Delta(1e-8)))
          << name;
    }
  }
  EXPECT_THAT(refusal({Event::gaussian(1)}, 0), HasSubstr("however large the noise"));
  EXPECT_ERROR(kUsage, HasSubstr("however large the noise"),
               smallest_guarantee(Relation::kZeroOut, {Event::gaussian(1)}, Delta(0)));
  EXPECT_THAT(refusal({Event::gaussian(1), Event::sampler_error(1e-7)}, 1e-8),
              HasSubstr("sampler errors"));
}

Guarantee smallest_of(const Event& event, Relation relation = Relation::kZeroOut) {
  const Guarantee smallest = smallest_guarantee(relation, {event}, Delta(1e-6));
  EXPECT_EQ(smallest.epsilon.value(), find_accountant(to_string(smallest.accountant))
                                          .make(relation, {event})
                                          ->epsilon(Delta(1e-6))
                                          .value());
  return smallest;
}

TEST(SmallestGuarantee, IsMostlyThatOfLossDistributions) {
  const Event run = Event::repeat(1000, Event::poisson_sampled(0.01, {Event::gaussian(1)}));
  const Guarantee smallest = smallest_of(run);
  EXPECT_EQ(smallest.accountant, AccountantName::kPld);
  EXPECT_LT(
      smallest.epsilon.value(),
      0.95 * find_accountant("rdp").make(Relation::kZeroOut, {run})->epsilon(Delta(1e-6)).value());
}

TEST(SmallestGuarantee, IsThatOfLossDistributionsAtTheSmallestRates) {
  const Event run = Event::repeat(10'000'000, Event::poisson_sampled(1e-6, {Event::gaussian(10)}));
  EXPECT_EQ(smallest_of(run).accountant, AccountantName::kPld);
}

TEST(SmallestGuarantee, IsThatOfZcdpWhereTheBestOrderIsBeyondThoseOfRenyiDp) {
  const Event tiny = Event::zcdp(1e-12);
  const Guarantee smallest = smallest_of(tiny);
  EXPECT_EQ(smallest.accountant, AccountantName::kZcdp);
  EXPECT_LT(
      smallest.epsilon.value(),
      0.9 * find_accountant("rdp").make(Relation::kZeroOut, {tiny})->epsilon(Delta(1e-6)).value());
}

TEST(SmallestGuarantee, IsThatOfTheOneThatHasABound) {
  EXPECT_NE(smallest_of(Event::zcdp(0.1)).accountant, AccountantName::kPld);
  EXPECT_EQ(smallest_of(Event::poisson_sampled(0.01, {Event::gaussian(1)}), Relation::kReplaceOne)
                .accountant,
            AccountantName::kPld);
  EXPECT_ERROR(kUsage, HasSubstr("zCDP"),
               smallest_guarantee(Relation::kZeroOut,
                                  {Event::poisson_sampled(0.1, {Event::zcdp(1)})}, Delta(1e-6)));
}

}  // namespace equinoise::accountant_test
