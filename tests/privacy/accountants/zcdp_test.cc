// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/zcdp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "tests/privacy/accountants/accounting_vectors.h"

namespace equinoise::zcdp_test {

using testing::expect_close;

TEST(Zcdp, ConversionAgreesWithTheAccountingVectors) {
  EQUINOISE_VECTORS(cases, "accounting/zcdp_conversion.json");
  for (const auto& c : cases) {
    if (c.value("solve_for", "epsilon") == "rho") {
      const Rho largest =
          zcdp_rho_for(Epsilon(c["epsilon"].get<double>()), Delta(c["delta"].get<double>()));
      expect_close(largest.value(), c["rho"], c["tolerance"], c["id"]);
      EXPECT_LE(largest.value(), c["rho"].get<double>() * (1 + 1e-6)) << c["id"];
      continue;
    }
    const double rho = c["events"][0]["rho"];
    if (c.value("solve_for", "epsilon") == "delta") {
      const double delta = zcdp_delta(Rho(rho), Epsilon(c["epsilon"].get<double>()));
      expect_close(delta, c["delta"], c["tolerance"], c["id"]);
      continue;
    }
    expect_close(zcdp_epsilon(Rho(rho), Delta(c["delta"].get<double>())).value(), c["epsilon"],
                 c["tolerance"], c["id"]);
  }
}

TEST(Zcdp, ConversionAgreesWithTheStepVectors) {
  EQUINOISE_VECTORS(cases, "steps/conversions.json");
  for (const auto& c : cases) {
    if (c["kind"] == "rho_to_epsilon") {
      const Epsilon epsilon =
          zcdp_epsilon(Rho(c["rho"].get<double>()), Delta(c["delta"].get<double>()));
      expect_close(epsilon.value(), c["expected"]["epsilon"], c["tolerance"], c["id"]);
    } else if (c["kind"] == "epsilon_to_rho") {
      const Rho rho =
          zcdp_rho_for(Epsilon(c["epsilon"].get<double>()), Delta(c["delta"].get<double>()));
      expect_close(rho.value(), c["expected"]["rho"], c["tolerance"], c["id"]);
    }
  }
}

ZcdpAccountant account(const std::vector<Event>& events, Relation relation = Relation::kZeroOut) {
  ZcdpAccountant accountant(relation);
  for (const Event& event : events) accountant.compose(event);
  return accountant;
}

TEST(Zcdp, EverySharedVectorOfItHolds) {
  const std::vector<nlohmann::json> cases = testing::accounting_cases();
  if (cases.empty()) GTEST_SKIP() << "no shared vectors";
  int checked = 0;
  for (const auto& c : cases) {
    const bool is_zcdp =
        testing::names_accountant(c, "zcdp") || testing::names_accountant(c, "zcdp_bounded_range");
    const bool has_selection = c["id"].get<std::string>().find("selection") == 0 ||
                               c["id"].get<std::string>().find("private_selection") == 0;
    const bool is_pure = testing::names_accountant(c, "pure") && !has_selection;
    if (!(is_zcdp || is_pure) || !c.contains("events") || c["events"].empty()) continue;
    const ZcdpAccountant accountant =
        account(testing::events_of(c["events"]), testing::relation_of(c));
    if (c.value("solve_for", "epsilon") == "delta") {
      testing::expect_close_to_digits(accountant.delta(Epsilon(c["epsilon"].get<double>())),
                                      c["delta"], c["tolerance"], c["id"]);
    } else if (testing::asks_for_epsilon(c)) {
      testing::expect_close_to_digits(accountant.epsilon(Delta(c["delta"].get<double>())).value(),
                                      c["epsilon"], c["tolerance"], c["id"]);
    } else {
      continue;
    }
    EXPECT_NEAR(accountant.rho(), c.value("rho", accountant.rho()), 1e-9) << c["id"];
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST(Zcdp, DiscreteGaussiansAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/discrete_gaussian.json");
  for (const auto& c : cases) {
    const ZcdpAccountant accountant = account(testing::events_of(c["events"]));
    if (c.contains("zcdp_rho")) {
      EXPECT_NEAR(accountant.rho(), c["zcdp_rho"].get<double>(), 1e-9) << c["id"];
      EXPECT_GE(accountant.rho(), c["zcdp_rho"].get<double>() * (1 - 1e-11)) << c["id"];
    }
    if (c.contains("zcdp_epsilon")) {
      EXPECT_NEAR(accountant.epsilon(Delta(c["delta"].get<double>())).value(),
                  c["zcdp_epsilon"].get<double>(), 1e-5)
          << c["id"];
    }
  }
}

TEST(Zcdp, RhoOfEvents) {
  const auto rho = [](const Event& event, Relation relation = Relation::kZeroOut) {
    return account({event}, relation).rho();
  };
  EXPECT_NEAR(rho(Event::gaussian(2)), 0.125, 1e-12);
  EXPECT_NEAR(rho(Event::discrete_gaussian(4, 2)), 0.125, 1e-12);
  EXPECT_NEAR(rho(Event::laplace(2)), 0.125, 1e-12);
  EXPECT_NEAR(rho(Event::discrete_laplace(0.25, 2)), 0.125, 1e-12);
  EXPECT_NEAR(rho(Event::exponential(1)), 0.125, 1e-12);
  EXPECT_NEAR(rho(Event::pure(0.5)), 0.125, 1e-12);
  EXPECT_NEAR(rho(Event::tree_aggregation(2, 7)), 0.375, 1e-12);
  EXPECT_NEAR(rho(Event::tree_aggregation(2, 8)), 0.5, 1e-12);
  EXPECT_NEAR(rho(Event::randomised_response(0.5, 2), Relation::kReplaceOne),
              std::log(3) * std::log(3) / 2, 1e-12);
  const Event mixed = Event::composed({Event::repeat(4, Event::gaussian(2)), Event::zcdp(0.25)});
  EXPECT_NEAR(rho(mixed), 0.75, 1e-12);
  EXPECT_GE(rho(mixed), 0.75);
  EXPECT_NEAR(rho(Event::parallel("sex", {"f", "m"}, {mixed, Event::zcdp(0.7)})), 0.75, 1e-12);
}

TEST(Zcdp, RepeatEqualsCompositionForEveryKind) {
  for (const Event& event :
       {Event::gaussian(3), Event::laplace(4), Event::discrete_gaussian(5, 2),
        Event::discrete_laplace(0.1, 3), Event::exponential(0.4), Event::tree_aggregation(6, 9),
        Event::pure(0.2), Event::zcdp(0.01), Event::sampler_error(1e-9),
        Event::repeat(3, Event::zcdp(0.01)), Event::composed({Event::pure(0.1), Event::zcdp(0.1)}),
        Event::parallel("sex", {"f", "m"}, {Event::pure(0.1), Event::zcdp(0.1)})}) {
    const ZcdpAccountant repeated = account({Event::repeat(7, event), Event::zcdp(0.1)});
    const ZcdpAccountant composed = account(
        {event, event, event, Event::zcdp(0.1), event, event, event, Event::composed({event})});
    const double epsilon = repeated.epsilon(Delta(1e-6)).value();
    EXPECT_NEAR(epsilon, composed.epsilon(Delta(1e-6)).value(), 1e-9) << event.to_text();
    EXPECT_LE(repeated.delta(Epsilon(epsilon)), 1e-6 * (1 + 1e-6)) << event.to_text();
    if (event.kind() != Event::Kind::kSamplerError) {
      EXPECT_GT(account({Event::repeat(8, event)}).epsilon(Delta(1e-6)).value(),
                account({Event::repeat(7, event)}).epsilon(Delta(1e-6)).value());
    }
  }
}

TEST(Zcdp, RefusesWhatItCannotBoundByName) {
  for (const Event& event :
       {Event::poisson_sampled(0.1, {Event::gaussian(1)}),
        Event::sampled_without_replacement(0.1, {Event::gaussian(1)}), Event::approx_dp(0.1, 1e-9),
        Event::repeat_and_select(5, 1, Event::gaussian(1)), Event::randomised_response(0.5, 2)}) {
    ZcdpAccountant accountant(Relation::kZeroOut);
    accountant.compose(Event::zcdp(0.5));
    try {
      accountant.compose(Event::composed({Event::zcdp(0.5), event}));
      ADD_FAILURE() << event.to_text();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(event.to_text()), std::string::npos);
    }
    EXPECT_EQ(accountant.rho(), 0.5);
  }
  EXPECT_THROW(zcdp_epsilon(Rho(1), Delta(0)), Error);
  EXPECT_THROW(account({Event::zcdp(1)}).epsilon(Delta(0)), Error);
  EXPECT_THROW(account({Event::gaussian(1e-170)}).epsilon(Delta(1e-6)), Error);
}

TEST(Zcdp, SamplerErrorIsTakenFromDeltaWithTheFactorOfEpsilon) {
  const ZcdpAccountant accountant = account({Event::zcdp(0.1), Event::sampler_error(1e-8)});
  const double epsilon = accountant.epsilon(Delta(1e-6)).value();
  const double left = 1e-6 - (1 + std::exp(epsilon)) * 1e-8;
  EXPECT_NEAR(epsilon, zcdp_epsilon(Rho(0.1), Delta(left)).value(), 1e-9);
  EXPECT_NEAR(accountant.delta(Epsilon(epsilon)), 1e-6, 1e-12);
}

TEST(Zcdp, ReturnedRhoMeetsItsTarget) {
  for (double epsilon : {0.01, 0.5, 3.0, 40.0}) {
    const Rho rho = zcdp_rho_for(Epsilon(epsilon), Delta(1e-6));
    EXPECT_LE(zcdp_epsilon(rho, Delta(1e-6)).value(), epsilon);
    EXPECT_GT(zcdp_epsilon(Rho(rho.value() * 1.0001), Delta(1e-6)).value(), epsilon);
  }
}

TEST(Zcdp, ARhoThatMeetsNoTargetIsZero) {
  EXPECT_EQ(zcdp_rho_for(Epsilon(1e-300), Delta(1e-300)).value(), 0);
}

TEST(Zcdp, NothingCostsNothing) { EXPECT_EQ(zcdp_epsilon(Rho(0), Delta(1e-6)).value(), 0); }

/// The bound is 1 - 2e-22: nothing of it may be lost to cancellation.
TEST(Zcdp, DeltasNearOneAreNotTooSmall) {
  EXPECT_GT(zcdp_delta(Rho(100), Epsilon(50)), 1 - 1e-12);
  EXPECT_EQ(zcdp_delta(Rho(1000), Epsilon(1)), 1);
}

}  // namespace equinoise::zcdp_test
