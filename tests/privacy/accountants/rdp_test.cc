// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/rdp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/privacy/accountants/poisson_renyi.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "tests/privacy/accountants/accounting_vectors.h"

namespace equinoise::rdp_test {

using testing::events_of;
using testing::expect_at_most;
using testing::expect_close;

double epsilon_of(const std::vector<Event>& events, Relation relation = Relation::kZeroOut) {
  return rdp_epsilon(relation, events, Delta(1e-6)).value();
}

/// Infinity if there is none.
double pure_epsilon(const RdpAccountant& accountant) {
  try {
    return accountant.epsilon(Delta(0)).value();
  } catch (const Error&) {
    return std::numeric_limits<double>::infinity();
  }
}

TEST(Rdp, DivergencesAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/subsampled_gaussian_rdp_values.json");
  EXPECT_FALSE(cases.empty());
  for (const auto& c : cases) {
    const auto& event = c["events"][0];
    const double got =
        poisson_gaussian_renyi(event["q"], event["events"][0]["noise_multiplier"], {c["order"]})[0];
    expect_close(got, c["rdp"], c["tolerance"], c["id"]);
  }
}

TEST(Rdp, EpsilonsAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/subsampled_gaussian_rdp.json");
  EXPECT_FALSE(cases.empty());
  for (const auto& c : cases) {
    const Delta delta(c["delta"].get<double>());
    RdpAccountant accountant(Relation::kZeroOut, usual_rdp_orders());  // the reference's
    for (const Event& event : events_of(c["events"])) accountant.compose(event);
    const double epsilon = accountant.epsilon(delta).value();
    EXPECT_GE(epsilon, c["tolerance"]["value_must_be_at_least"].get<double>()) << c["id"];
    EXPECT_LE(epsilon, c["tolerance"]["value_must_be_at_most"].get<double>()) << c["id"];
    // More orders tell less, if anything.
    EXPECT_LE(rdp_epsilon(Relation::kZeroOut, events_of(c["events"]), delta).value(), epsilon);
  }
}

TEST(Rdp, PaperClaimsAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/paper_esipova_2023.json");
  std::vector<double> opacus_orders;
  for (int tenths = 11; tenths < 110; ++tenths) opacus_orders.push_back(tenths / 10.0);
  for (int order = 12; order < 64; ++order) opacus_orders.push_back(order);
  EXPECT_FALSE(cases.empty());
  for (const auto& c : cases) {
    RdpAccountant accountant(Relation::kZeroOut, opacus_orders);
    for (const Event& event : events_of(c["events"])) accountant.compose(event);
    expect_close(accountant.epsilon(Delta(c["delta"].get<double>())).value(), c["epsilon"],
                 c["tolerance"], c["id"]);
  }
}

TEST(Rdp, EventsOfOneBatchAreComposedBeforeTheyAreAmplified) {
  EQUINOISE_VECTORS(cases, "accounting/two_subsampled_gaussians.json");
  int checked = 0;
  for (const auto& c : cases) {
    // The reference has 0 where its fractional orders failed.
    if (c.value("rdp_epsilon", 0.0) == 0) continue;
    ++checked;
    RdpAccountant accountant(Relation::kZeroOut, usual_rdp_orders());  // the reference's
    for (const Event& event : events_of(c["events"])) accountant.compose(event);
    const double epsilon = accountant.epsilon(Delta(c["delta"].get<double>())).value();
    expect_close(epsilon, c["rdp_epsilon"], c["rdp_tolerance"], c["id"]);
  }
  EXPECT_GT(checked, 0);
}

TEST(Rdp, EverySharedVectorOfItHolds) {
  const std::vector<nlohmann::json> cases = testing::accounting_cases();
  if (cases.empty()) GTEST_SKIP() << "no shared vectors";
  int checked = 0;
  for (const auto& c : cases) {
    if (!testing::names_accountant(c, "rdp") || !testing::asks_for_epsilon(c)) continue;
    if (c.value("orders", "dp_accounting_default") != "dp_accounting_default") continue;
    RdpAccountant accountant(testing::relation_of(c), usual_rdp_orders());
    for (const Event& event : events_of(c["events"])) accountant.compose(event);
    const Delta delta(c["delta"].get<double>());
    const double epsilon = accountant.epsilon(delta).value();
    const double want = c["epsilon"];
    const std::string id = c["id"];
    if (c["tolerance"].contains("rel")) {
      const double relative = c["tolerance"]["rel"];
      expect_at_most(epsilon, want, relative, id);
      // The pure bound beside RDP may be lower.
      EXPECT_GE(epsilon, std::min(want * (1 - relative), pure_epsilon(accountant))) << id;
    } else {
      EXPECT_GE(epsilon, c["tolerance"]["value_must_be_at_least"].get<double>()) << id;
      EXPECT_LE(epsilon, c["tolerance"]["value_must_be_at_most"].get<double>()) << id;
    }
    EXPECT_LE(accountant.delta(Epsilon(epsilon)), delta.value() * (1 + 1e-9)) << id;
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

/// Cases of the PLD accountant give the RDP figure besides.
TEST(Rdp, IsAtMostTheReferencesOwnAndAboveTheTruth) {
  int checked = 0;
  for (const auto& c : testing::accounting_cases()) {
    if (!testing::asks_for_epsilon(c) || !c.contains("truth_estimate")) continue;
    // The neighbouring of these is not ours: scale / contribution.
    if (testing::relation_of(c) == Relation::kReplaceOne) continue;
    const double epsilon = rdp_epsilon(testing::relation_of(c), events_of(c["events"]),
                                       Delta(c["delta"].get<double>()))
                               .value();
    const std::string id = c["id"];
    EXPECT_GE(epsilon, c["truth_estimate"].get<double>() * (1 - 1e-3)) << id;
    // The reference has 0 where its fractional orders failed.
    if (c.value("rdp_epsilon", 0.0) > 0) expect_at_most(epsilon, c["rdp_epsilon"], 1e-3, id);
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "no shared vectors";
}

TEST(Rdp, PureVectorsHold) {
  const std::vector<nlohmann::json> cases = testing::accounting_cases();
  if (cases.empty()) GTEST_SKIP() << "no shared vectors";
  int checked = 0;
  for (const auto& c : cases) {
    if (!testing::names_accountant(c, "pure") || !testing::asks_for_epsilon(c)) continue;
    const double epsilon = rdp_epsilon(testing::relation_of(c), events_of(c["events"]),
                                       Delta(c["delta"].get<double>()))
                               .value();
    testing::expect_close_to_digits(epsilon, c["epsilon"], c["tolerance"], c["id"]);
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST(Rdp, JointBatchesOfLaplaceAndGaussianNoiseAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/raco_laplace_gaussian.json");
  std::vector<double> orders;
  for (int order = 2; order < 200; ++order) orders.push_back(order);
  int checked = 0;
  for (const auto& c : cases) {
    if (!c.contains("rdp_epsilon_integer_orders_2_199")) continue;
    RdpAccountant accountant(Relation::kZeroOut, orders);
    for (const Event& event : events_of(c["events"])) accountant.compose(event);
    const double epsilon = accountant.epsilon(Delta(c["delta"].get<double>())).value();
    expect_close(epsilon, c["rdp_epsilon_integer_orders_2_199"], c["rdp_tolerance"], c["id"]);
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST(Rdp, BoundedRangeIsAtMostTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/exponential_mechanism.json");
  for (const auto& c : cases) {
    const double epsilon =
        rdp_epsilon(Relation::kZeroOut, events_of(c["events"]), Delta(c["delta"].get<double>()))
            .value();
    const double want = c["epsilon_rdp_bounded_range_default_orders"];
    expect_at_most(epsilon, want, c["tolerance"]["rdp_rel"], c["id"]);
    EXPECT_GE(epsilon, std::min(0.8 * want, c["pure_epsilon"].get<double>())) << c["id"];
  }
}

/// One event of every kind.
std::vector<testing::BoundedEvent> every_kind() {
  std::vector<testing::BoundedEvent> all = testing::bounded_events();
  append(all, std::vector<testing::BoundedEvent>{
                  {Event::zcdp(0.01)},
                  {Event::sampler_error(1e-13)},
                  {Event::composed({Event::gaussian(3), Event::zcdp(0.02)})},
                  {Event::poisson_sampled(
                      0.1, {Event::discrete_gaussian(4, 2), Event::discrete_laplace(0.2, 1)})},
                  {Event::repeat_and_select(10, 1, Event::gaussian(9))},
                  {Event::repeat_and_select(10, std::numeric_limits<double>::infinity(),
                                            Event::gaussian(9))}});
  return all;
}

TEST(Rdp, RepeatEqualsCompositionForEveryKind) {
  for (const testing::BoundedEvent& c : every_kind()) {
    RdpAccountant repeated(c.relation);
    repeated.compose(Event::repeat(7, c.event));
    repeated.compose(Event::gaussian(50));
    RdpAccountant counted(c.relation);
    counted.compose(c.event, 7);
    counted.compose(Event::gaussian(50));
    RdpAccountant composed(c.relation);
    for (int i = 0; i < 7; ++i) composed.compose(c.event);
    composed.compose(Event::gaussian(50));
    const double epsilon = repeated.epsilon(Delta(1e-6)).value();
    EXPECT_EQ(epsilon, counted.epsilon(Delta(1e-6)).value()) << c.event.to_text();
    EXPECT_NEAR(epsilon, composed.epsilon(Delta(1e-6)).value(), 1e-11) << c.event.to_text();
    EXPECT_NEAR(repeated.delta(Epsilon(epsilon)), composed.delta(Epsilon(epsilon)), 1e-15)
        << c.event.to_text();
  }
}

TEST(Rdp, OneComposedEventIsTheSameAsItsParts) {
  for (const Relation relation : {Relation::kZeroOut, Relation::kReplaceOne}) {
    std::vector<Event> events;
    RdpAccountant apart(relation);
    for (const testing::BoundedEvent& c : every_kind()) {
      if (c.relation != relation) continue;
      events.push_back(c.event);
      apart.compose(c.event);
    }
    RdpAccountant together(relation);
    together.compose(Event::composed(events));
    EXPECT_EQ(apart.rdp(), together.rdp());
    EXPECT_EQ(apart.epsilon(Delta(1e-6)).value(), together.epsilon(Delta(1e-6)).value());
    std::ranges::reverse(events);
    EXPECT_NEAR(epsilon_of(events, relation), apart.epsilon(Delta(1e-6)).value(), 1e-11);
  }
}

TEST(Rdp, MoreRunsCostMoreAndDeltaFallsWithEpsilon) {
  for (const testing::BoundedEvent& c : every_kind()) {
    if (c.event.kind() == Event::Kind::kSamplerError) continue;
    double before = 0;
    for (int64_t count : {1, 2, 5, 30}) {
      const double epsilon = epsilon_of({Event::repeat(count, c.event)}, c.relation);
      EXPECT_GT(epsilon, before) << c.event.to_text();
      before = epsilon;
    }
    RdpAccountant accountant(c.relation);
    accountant.compose(c.event, 30);
    const double delta = accountant.delta(Epsilon(before));
    EXPECT_LE(delta, 1e-6 * (1 + 1e-9)) << c.event.to_text();
    EXPECT_LE(accountant.delta(Epsilon(before * 1.5)), delta) << c.event.to_text();
  }
}

/// Each list goes from the cheaper to the dearer.
TEST(Rdp, IsMonotoneInEveryParameter) {
  const auto poisson = [](double rate, double noise) {
    return Event::poisson_sampled(rate, {Event::gaussian(noise)});
  };
  const auto joint = [](double rate, double noise, double scale) {
    return Event::poisson_sampled(rate, {Event::gaussian(noise), Event::laplace(scale)});
  };
  const auto fixed_size = [](double rate, double noise) {
    return Event::sampled_without_replacement(rate, {Event::gaussian(noise)});
  };
  const auto best = [](double mean, double shape, double noise) {
    return Event::repeat_and_select(mean, shape, Event::gaussian(noise));
  };
  const double poisson_shape = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<Event>> rising = {
      {Event::gaussian(2.1), Event::gaussian(2)},
      {Event::laplace(3), Event::laplace(2)},
      {Event::discrete_gaussian(3, 1), Event::discrete_gaussian(2.9, 1),
       Event::discrete_gaussian(2.9, 2)},
      {Event::discrete_laplace(0.1, 1), Event::discrete_laplace(0.1, 2),
       Event::discrete_laplace(0.2, 2)},
      {Event::exponential(0.1), Event::exponential(0.2), Event::exponential(5)},
      {Event::tree_aggregation(3, 7), Event::tree_aggregation(3, 8),
       Event::tree_aggregation(2.9, 8)},
      {Event::pure(0.1), Event::pure(0.2), Event::pure(40)},
      {Event::zcdp(0.1), Event::zcdp(0.2)},
      {poisson(0.01, 1), poisson(0.011, 1), poisson(0.011, 0.99)},
      {joint(0.01, 1, 2), joint(0.011, 1, 2), joint(0.011, 0.99, 2), joint(0.011, 0.99, 1.9)},
      {fixed_size(0.01, 2), fixed_size(0.011, 2), fixed_size(0.011, 1.9)},
      {best(5, 1, 4), best(6, 1, 4), best(6, 2, 4), best(6, 2, 3)},
      {best(5, 0, 4), best(6, 0, 4), best(6, 0, 3)},
      {best(5, poisson_shape, 4), best(6, poisson_shape, 4), best(6, poisson_shape, 3)},
  };
  for (const std::vector<Event>& events : rising) {
    double before = 0;
    for (const Event& event : events) {
      const double epsilon = epsilon_of({Event::repeat(5, event)});
      EXPECT_GT(epsilon, before) << event.to_text();
      before = epsilon;
    }
  }
  EXPECT_GT(epsilon_of({Event::randomised_response(0.5, 2)}, Relation::kReplaceOne),
            epsilon_of({Event::randomised_response(0.6, 2)}, Relation::kReplaceOne));
}

/// A mechanism costs at most what a weaker description of it costs.
TEST(Rdp, BlackBoxesCostNoLessThanWhatTheyDescribe) {
  for (double epsilon : {0.01, 0.5, 3.0, 20.0}) {
    const double pure = epsilon_of({Event::repeat(4, Event::pure(epsilon))}) * (1 + 1e-12);
    EXPECT_LE(epsilon_of({Event::repeat(4, Event::laplace(1 / epsilon))}), pure);
    EXPECT_LE(epsilon_of({Event::repeat(4, Event::exponential(epsilon))}), pure);
    EXPECT_LE(epsilon_of({Event::repeat(4, Event::discrete_laplace(epsilon / 8, 8))}), pure);
    EXPECT_LE(pure,
              epsilon_of({Event::repeat(4, Event::zcdp(epsilon * epsilon / 2))}) * (1 + 1e-11));
    EXPECT_LE(pure, 4 * epsilon * (1 + 3e-12));
  }
}

TEST(Rdp, GroupsInParallelCostTheirMaximumAndSumWithinAGroup) {
  const auto parallel = [](double f, double m) {
    return Event::parallel("sex", {"f", "m"}, {Event::zcdp(f), Event::zcdp(m)});
  };
  const auto plain = [](double rho) { return epsilon_of({Event::zcdp(rho)}); };
  EXPECT_NEAR(epsilon_of({parallel(0.1, 0.3)}), plain(0.3), 1e-12);
  // Not 0.3 + 0.3: the maximum comes after the sum.
  EXPECT_NEAR(epsilon_of({parallel(0.1, 0.3), parallel(0.3, 0.2)}), plain(0.5), 1e-12);
  EXPECT_NEAR(epsilon_of({Event::repeat(2, parallel(0.1, 0.3)), Event::zcdp(0.1)}), plain(0.7),
              1e-12);
  const Event other = Event::parallel("age", {"young"}, {Event::zcdp(0.1)});
  EXPECT_NEAR(epsilon_of({parallel(0.1, 0.3), other}), plain(0.4), 1e-12);
  const Event within = Event::parallel("sex", {"f", "m"}, {parallel(0.1, 0.2), other});
  EXPECT_NEAR(epsilon_of({within}), plain(0.2), 1e-12);
  const Event failing =
      Event::parallel("sex", {"f", "m"}, {Event::sampler_error(1e-8), Event::approx_dp(0, 1e-8)});
  RdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(failing);
  EXPECT_NEAR(accountant.delta(Epsilon(1)), 1e-8 * (2 + std::exp(1)), 1e-16);
}

TEST(Rdp, ApproximateDpTakesItsDeltaOff) {
  EXPECT_NEAR(
      rdp_epsilon(Relation::kZeroOut, {Event::repeat(100, Event::approx_dp(0.05, 1e-9))},
                  Delta(1e-6))
          .value(),
      rdp_epsilon(Relation::kZeroOut, {Event::repeat(100, Event::pure(0.05))}, Delta(9e-7)).value(),
      1e-9);
  EXPECT_EQ(epsilon_of({Event::approx_dp(30, 1e-6)}), 30);
  EXPECT_THROW(epsilon_of({Event::approx_dp(0.1, 2e-6)}), Error);
}

TEST(Rdp, RefusalsNameTheEvent) {
  const double any = std::numeric_limits<double>::infinity();
  struct Refused {
    Event event;
    Relation relation;
    std::string name;
  };
  std::vector<Refused> cases = {
      {Event::randomised_response(0.5, 2), Relation::kZeroOut, "randomised response"},
      {Event::randomised_response(0.5, 2), Relation::kAddRemove, "randomised response"},
      {Event::tree_aggregation(2, 3), Relation::kAddRemove, "tree aggregation"},
      {Event::poisson_sampled(0.1, {Event::gaussian(2)}), Relation::kReplaceOne, "Poisson batch"},
      {Event::sampled_without_replacement(0.1, {Event::gaussian(2)}), Relation::kAddRemove,
       "batch of fixed size"},
      {Event::sampled_without_replacement(0.1, {Event::laplace(2)}), Relation::kReplaceOne,
       "Laplace"},
      {Event::repeat_and_select(any, 1, Event::gaussian(2)), Relation::kZeroOut, "best of"},
      {Event::repeat_and_select(any, any, Event::pure(2)), Relation::kZeroOut, "best of"},
      {Event::repeat_and_select(0.5, 1, Event::pure(2)), Relation::kZeroOut, "best of"},
      {Event::repeat_and_select(5, 1, Event::approx_dp(2, 1e-9)), Relation::kZeroOut, "best of"},
  };
  for (const Event& inner :
       {Event::tree_aggregation(2, 3), Event::exponential(1), Event::pure(1), Event::zcdp(1),
        Event::randomised_response(0.5, 2), Event::approx_dp(1, 1e-9), Event::sampler_error(1e-9),
        Event::poisson_sampled(0.1, {Event::gaussian(1)}),
        Event::parallel("sex", {"f"}, {Event::gaussian(1)}),
        Event::repeat_and_select(5, 1, Event::gaussian(1))}) {
    cases.push_back({Event::poisson_sampled(0.1, {inner}), Relation::kZeroOut, inner.to_text()});
    cases.push_back(
        {Event::sampled_without_replacement(0.1, {inner}), Relation::kReplaceOne, inner.to_text()});
  }
  for (const Refused& c : cases) {
    RdpAccountant accountant(c.relation);
    accountant.compose(Event::gaussian(9));
    const double before = accountant.epsilon(Delta(1e-6)).value();
    try {
      accountant.compose(Event::composed({Event::gaussian(1), c.event}));
      ADD_FAILURE() << c.event.to_text();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find(c.name), std::string::npos) << error.what();
    }
    EXPECT_EQ(accountant.epsilon(Delta(1e-6)).value(), before);
  }
}

TEST(Rdp, CountsThatOverflowAreRefused) {
  const int64_t most = int64_t{1} << 53;
  RdpAccountant accountant(Relation::kZeroOut);
  EXPECT_THROW(accountant.compose(Event::repeat(most, Event::repeat(2, Event::zcdp(1e-20)))),
               Error);
  EXPECT_THROW(accountant.compose(Event::zcdp(1), 0), Error);
  accountant.compose(Event::repeat(most, Event::zcdp(1e-20)));
  EXPECT_LT(accountant.epsilon(Delta(1e-6)).value(), 1);
}

TEST(Rdp, FullSamplingIsThePlainGaussian) {
  EXPECT_NEAR(rdp_epsilon(Relation::kZeroOut, {Event::poisson_sampled(1, {Event::gaussian(2)})},
                          Delta(1e-6))
                  .value(),
              rdp_epsilon(Relation::kZeroOut, {Event::gaussian(2)}, Delta(1e-6)).value(), 1e-9);
}

/// Outputs within eta in total variation add (1 + e^epsilon) eta to delta, not eta: a set that has
/// probability e^epsilon eta under one table and eta under the other may lose the latter.
TEST(Rdp, SamplerErrorIsTakenFromDeltaWithTheFactorOfEpsilon) {
  const Event gaussian = Event::gaussian(2);
  const double eta = 1e-8;
  const double epsilon =
      rdp_epsilon(Relation::kZeroOut, {gaussian, Event::sampler_error(eta)}, Delta(1e-6)).value();
  const double left = 1e-6 - (1 + std::exp(epsilon)) * eta;
  EXPECT_NEAR(epsilon, rdp_epsilon(Relation::kZeroOut, {gaussian}, Delta(left)).value(), 1e-9);
  EXPECT_GT(epsilon, rdp_epsilon(Relation::kZeroOut, {gaussian}, Delta(1e-6 - eta)).value());
  EXPECT_THROW(rdp_epsilon(Relation::kZeroOut, {gaussian, Event::sampler_error(5e-7)}, Delta(1e-6)),
               Error);
}

TEST(Rdp, ALoneSamplerErrorIsNotFree) {
  EXPECT_EQ(rdp_epsilon(Relation::kZeroOut, {Event::sampler_error(1e-7)}, Delta(1e-6)).value(), 0);
  EXPECT_THROW(rdp_epsilon(Relation::kZeroOut, {Event::sampler_error(0.5)}, Delta(1e-6)), Error);
}

TEST(Rdp, TinyNoiseOnAPoissonBatchIsExpensive) {
  for (const Event& inner :
       {Event::gaussian(1e-10), Event::repeat(int64_t{1} << 53, Event::gaussian(1)),
        Event::gaussian(1e-3), Event::gaussian(0.011)}) {
    RdpAccountant accountant(Relation::kZeroOut);
    accountant.compose(Event::poisson_sampled(0.5, {inner}));
    EXPECT_GT(accountant.epsilon(Delta(1e-6)).value(), 1000) << inner.to_text();
  }
}

TEST(Rdp, RefusesSampledEventsUnderReplaceOne) {
  EXPECT_THROW(rdp_epsilon(Relation::kReplaceOne,
                           {Event::poisson_sampled(0.1, {Event::gaussian(1)})}, Delta(1e-6)),
               Error);
  EXPECT_NO_THROW(rdp_epsilon(Relation::kReplaceOne, {Event::gaussian(1)}, Delta(1e-6)));
}

TEST(Rdp, RefusesOrdersThatAreNone) {
  EXPECT_THROW(RdpAccountant(Relation::kZeroOut, {}), Error);
  for (double order : {1.0, 0.5, std::nan(""), 1e5})
    EXPECT_THROW(RdpAccountant(Relation::kZeroOut, {order}), Error);
}

TEST(Rdp, NeverTurnsNotANumberIntoNothing) {
  RdpAccountant accountant(Relation::kZeroOut, {6});
  accountant.compose(Event::gaussian(1e-160));
  EXPECT_THROW(accountant.epsilon(Delta(1e-6)), Error);
}

/// Choosing later events after earlier outputs costs a share of delta; with one order favoured it
/// is at most half.
TEST(Rdp, AdaptiveEpsilonIsAboveThePlainOneAndBoundedByHalfOfDelta) {
  RdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(Event::repeat(20, Event::gaussian(9)));
  const double order = accountant.optimal_order(Delta(1e-6));
  const double adaptive = accountant.adaptive_epsilon(Delta(1e-6), order).value();
  EXPECT_GT(adaptive, accountant.epsilon(Delta(1e-6)).value());
  EXPECT_LE(adaptive, accountant.epsilon(Delta(5e-7)).value() * 1.01);
}

TEST(Rdp, RefusalChangesNothing) {
  RdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(Event::gaussian(2));
  const double before = accountant.epsilon(Delta(1e-6)).value();
  EXPECT_THROW(accountant.compose(Event::poisson_sampled(0.1, {Event::zcdp(0.1)})), Error);
  EXPECT_THROW(accountant.compose(Event::poisson_sampled(
                   0.1, {Event::poisson_sampled(0.1, {Event::gaussian(1)})})),
               Error);
  EXPECT_EQ(accountant.epsilon(Delta(1e-6)).value(), before);
}

TEST(Rdp, TinyCostsDoNotVanish) {
  RdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(Event::zcdp(1e-300));
  EXPECT_GT(accountant.rdp()[0], 0);
  EXPECT_GT(accountant.epsilon(Delta(1e-6)).value(), 0);
}

TEST(Rdp, NothingCostsNothing) {
  EXPECT_EQ(rdp_epsilon(Relation::kZeroOut, {}, Delta(1e-6)).value(), 0);
}

}  // namespace equinoise::rdp_test
