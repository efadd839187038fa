// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/pld.h"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "tests/privacy/accountants/accounting_vectors.h"

namespace equinoise::pld_test {

using testing::events_of;

double epsilon_of(Relation relation, const std::vector<Event>& events, double delta) {
  return PldAccountant(relation, events).epsilon(Delta(delta)).value();
}

/// log delta(epsilon) of many Poisson-sampled Gaussian steps (a record removed) by a saddlepoint
/// approximation with Edgeworth's first correction: independent of grids and transforms.
double saddlepoint_log_delta(double rate, double noise, double count, double epsilon) {
  struct Moments {
    double log_total, mean, variance, skew;
  };
  const auto moments = [&](double tilt) {
    double total = 0, first = 0, second = 0, third = 0;
    const int panels = 4000;
    const double low = -12 * noise, high = 12 * noise + 1;
    for (int i = 0; i < panels; ++i) {
      const double x = low + (high - low) * (i + 0.5) / panels;
      const double ratio = 1 - rate + rate * std::exp((2 * x - 1) / (2 * noise * noise));
      const double loss = std::log(ratio);
      const double weight = std::exp(-x * x / (2 * noise * noise) + (1 + tilt) * loss);
      total += weight;
      first += weight * loss;
      second += weight * loss * loss;
      third += weight * loss * loss * loss;
    }
    const double mean = first / total;
    const double variance = second / total - mean * mean;
    const double skew = third / total - 3 * mean * variance - mean * mean * mean;
    const double scale = (high - low) / panels / (noise * std::sqrt(2 * M_PI));
    return Moments{count * std::log(total * scale), count * mean, count * variance, count * skew};
  };
  double low = -0.5, high = 3;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (moments(middle).mean < epsilon ? low : high) = middle;
  }
  const Moments at = moments(low);
  const double stddev = std::sqrt(at.variance);
  double sum = 0;
  const int steps = 200'000;
  for (int i = 0; i < steps; ++i) {
    const double y = 20 * stddev * (i + 0.5) / steps;
    const double z = y / stddev;
    const double density = std::exp(-z * z / 2) / (stddev * std::sqrt(2 * M_PI)) *
                           (1 + at.skew / std::pow(stddev, 3) / 6 * (z * z * z - 3 * z));
    sum -= std::exp(-low * y) * std::expm1(-y) * density * 20 * stddev / steps;
  }
  return at.log_total - low * epsilon + std::log(sum);
}

/// Three vectors were made on a grid of 0.01 and lie 0.1 % above the truth: ours is between the
/// saddlepoint approximation and them.
bool is_coarse(const nlohmann::json& vector) { return vector.value("discretisation", 0.0) > 1e-3; }

TEST(Pld, EpsilonsAgreeWithTheVectors) {
  int checked = 0;
  for (const auto& c : testing::accounting_cases()) {
    if (!testing::names_accountant(c, "pld") || !testing::asks_for_epsilon(c)) continue;
    std::vector<Event> events = events_of(c["events"]);
    if (c.value("note", "").find("relative to the add/remove sensitivity") != std::string::npos) {
      events = {Event::gaussian(events[0].noise_multiplier() / 2)};
    }
    const double delta = c["delta"];
    const double epsilon = epsilon_of(testing::relation_of(c), events, delta);
    const std::string id = c["id"];
    const auto& tolerance = c["tolerance"];
    ++checked;
    if (is_coarse(c)) {
      const Event& step = events[0].events()[0];
      const double log_delta =
          saddlepoint_log_delta(step.sample_rate(), step.events()[0].noise_multiplier(),
                                static_cast<double>(events[0].count()), epsilon * 0.9995);
      EXPECT_GE(std::exp(log_delta), delta * 0.98) << id;
      EXPECT_LE(epsilon, tolerance["value_must_be_at_most"].get<double>()) << id;
    } else if (tolerance.contains("value_must_be_at_least")) {
      EXPECT_GE(epsilon, tolerance["value_must_be_at_least"].get<double>()) << id;
      EXPECT_LE(epsilon, tolerance["value_must_be_at_most"].get<double>()) << id;
    } else {
      EXPECT_GE(epsilon, c["epsilon"].get<double>() * (1 - 2e-5)) << id;
      EXPECT_LE(epsilon, c["epsilon"].get<double>() * 1.01) << id;
    }
  }
  if (checked == 0) GTEST_SKIP() << "no shared vectors";
}

TEST(Pld, DeltasAgreeWithTheVectors) {
  int checked = 0;
  for (const auto& c : testing::accounting_cases()) {
    if (!testing::names_accountant(c, "pld") || c.value("solve_for", "") != "delta") continue;
    const double epsilon = c.contains("epsilon_in") ? c["epsilon_in"] : c["epsilon"];
    const PldAccountant accountant(testing::relation_of(c), events_of(c["events"]));
    const double want = c["delta"];
    EXPECT_GE(accountant.delta(Epsilon(epsilon)), want * (1 - 1e-9)) << c["id"];
    EXPECT_LE(accountant.delta(Epsilon(epsilon)), want * (1 + 1e-6)) << c["id"];
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "no shared vectors";
}

TEST(Pld, PureEpsilonsAtDeltaZeroAgreeWithTheVectors) {
  int checked = 0;
  for (const auto& c : testing::accounting_cases()) {
    if (c.value("accountant", "") != "pure" || !c.contains("events") || c["delta"] != 0) continue;
    const double epsilon = epsilon_of(testing::relation_of(c), events_of(c["events"]), 0);
    EXPECT_NEAR(epsilon / c["epsilon"].get<double>(), 1, 1e-11) << c["id"];
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "no shared vectors";
}

/// One event of every kind that PLD bounds.
std::vector<testing::BoundedEvent> every_kind() {
  std::vector<testing::BoundedEvent> all = testing::bounded_events();
  append(all, std::vector<testing::BoundedEvent>{
                  {Event::composed({Event::gaussian(3), Event::pure(0.1)})},
                  {Event::poisson_sampled(0.1, {Event::gaussian(2)}), Relation::kReplaceOne},
                  {Event::poisson_sampled(0.1, {Event::laplace(2), Event::laplace(3)})},
                  {Event::poisson_sampled(0.1, {Event::exponential(0.5)}), Relation::kAddRemove}});
  return all;
}

TEST(Pld, RepeatEqualsCompositionAndOrderDoesNotMatter) {
  for (const testing::BoundedEvent& c : every_kind()) {
    std::vector<Event> apart(5, c.event);
    apart.insert(apart.begin() + 2, Event::laplace(40));
    const double together =
        epsilon_of(c.relation, {Event::repeat(5, c.event), Event::laplace(40)}, 1e-6);
    EXPECT_NEAR(epsilon_of(c.relation, apart, 1e-6) / together, 1, 1e-9) << c.event.to_text();
  }
}

TEST(Pld, MoreRunsCostMoreAndDeltaFallsWithEpsilon) {
  for (const testing::BoundedEvent& c : every_kind()) {
    double before = 0;
    for (int64_t count : {1, 2, 9, 60}) {
      const PldAccountant accountant(c.relation, {Event::repeat(count, c.event)});
      const double epsilon = accountant.epsilon(Delta(1e-6)).value();
      EXPECT_GT(epsilon, before) << c.event.to_text() << count;
      EXPECT_LE(accountant.delta(Epsilon(epsilon)), 1e-6 * (1 + 1e-4)) << c.event.to_text();
      EXPECT_GE(accountant.delta(Epsilon(epsilon / 2)), accountant.delta(Epsilon(epsilon)));
      before = epsilon;
    }
  }
}

TEST(Pld, IsMonotoneInRateStepsAndNoise) {
  const auto dpsgd = [](double rate, double noise, int64_t steps) {
    return epsilon_of(
        Relation::kAddRemove,
        {Event::repeat(steps, Event::poisson_sampled(rate, {Event::gaussian(noise)}))}, 1e-6);
  };
  const double middle = dpsgd(0.01, 1, 500);
  EXPECT_LT(dpsgd(0.009, 1, 500), middle);
  EXPECT_LT(dpsgd(0.01, 1.05, 500), middle);
  EXPECT_LT(dpsgd(0.01, 1, 480), middle);
}

TEST(Pld, IsBelowRenyiDpAndAboveNothing) {
  for (const testing::BoundedEvent& c : every_kind()) {
    // The worst bounded-range mechanism differs from loss to loss, for RDP only from order to
    // order.
    const double slack = c.event.kind() == Event::Kind::kExponential ? 1.1 : 1.001;
    if (c.relation == Relation::kReplaceOne) continue;
    if (c.event.kind() == Event::Kind::kPoissonSampled &&
        c.event.events()[0].kind() == Event::Kind::kExponential) {
      continue;
    }
    const std::vector<Event> events = {Event::repeat(20, c.event)};
    EXPECT_LE(epsilon_of(c.relation, events, 1e-6),
              rdp_epsilon(c.relation, events, Delta(1e-6)).value() * slack)
        << c.event.to_text();
  }
}

/// Both noises on one batch: the sum of two separately amplified events would be too small.
TEST(Pld, EventsOfOneBatchCostMoreThanOfTwo) {
  const auto batch = [](std::vector<Event> events) {
    return Event::poisson_sampled(0.02, std::move(events));
  };
  const Event laplace = Event::laplace(0.5);
  const Event gaussian = Event::gaussian(3);
  const double joint =
      PldAccountant(Relation::kZeroOut, {batch({laplace, gaussian})}).delta(Epsilon(0.3));
  const double separate =
      PldAccountant(Relation::kZeroOut, {batch({laplace}), batch({gaussian})}).delta(Epsilon(0.3));
  EXPECT_NEAR(joint / 4.87e-6, 1, 0.01);
  EXPECT_LT(separate, 1e-12);
}

/// The general way (distributions composed by direct summation) against the closed form.
TEST(Pld, ListsOnOneBatchAgreeWithTheClosedForm) {
  const auto batch = [](std::vector<Event> events) {
    return std::vector<Event>{Event::repeat(50, Event::poisson_sampled(0.02, std::move(events)))};
  };
  const double closed =
      epsilon_of(Relation::kZeroOut, batch({Event::laplace(1), Event::gaussian(2)}), 1e-6);
  // A second Laplace of next to no cost takes the general way.
  const double general =
      epsilon_of(Relation::kZeroOut,
                 batch({Event::laplace(1), Event::gaussian(2), Event::laplace(1e5)}), 1e-6);
  EXPECT_GT(general, closed * (1 - 1e-6));
  EXPECT_LT(general, closed * 1.005);
}

TEST(Pld, GroupsInParallelCostTheDearestAndSumWithinAGroup) {
  const auto of = [](double f, double m) {
    return Event::parallel("sex", {"f", "m"}, {Event::gaussian(f), Event::gaussian(m)});
  };
  const double alone = epsilon_of(Relation::kZeroOut, {Event::gaussian(2)}, 1e-6);
  EXPECT_DOUBLE_EQ(epsilon_of(Relation::kZeroOut, {of(2, 5)}, 1e-6), alone);
  // 2 and 5, 5 and 2: either group sees one of each.
  EXPECT_DOUBLE_EQ(epsilon_of(Relation::kZeroOut, {of(2, 5), of(5, 2)}, 1e-6),
                   epsilon_of(Relation::kZeroOut, {Event::gaussian(2), Event::gaussian(5)}, 1e-6));
  const Event other = Event::parallel("age", {"young"}, {Event::gaussian(2)});
  EXPECT_DOUBLE_EQ(epsilon_of(Relation::kZeroOut, {of(2, 5), other}, 1e-6),
                   epsilon_of(Relation::kZeroOut, {Event::gaussian(2), Event::gaussian(2)}, 1e-6));
}

TEST(Pld, RefusalsNameTheEvent) {
  const Event gaussian = Event::gaussian(1);
  const struct {
    Event event;
    Relation relation;
    std::string named;
  } cases[] = {
      {Event::zcdp(0.5), Relation::kZeroOut, "zCDP, rho 0.5"},
      {Event::tree_aggregation(2, 3), Relation::kAddRemove, "tree aggregation"},
      {Event::randomised_response(0.5, 2), Relation::kZeroOut, "randomised response"},
      {Event::poisson_sampled(0.1, {Event::laplace(1)}), Relation::kReplaceOne, "Laplace"},
      {Event::poisson_sampled(0.1, {Event::poisson_sampled(0.1, {gaussian})}), Relation::kZeroOut,
       "Poisson"},
      {Event::poisson_sampled(0.1, {Event::tree_aggregation(2, 3)}), Relation::kZeroOut, "tree"},
      {Event::poisson_sampled(0.1, {Event::sampler_error(0.1)}), Relation::kZeroOut, "sampler"},
      {Event::sampled_without_replacement(0.1, {gaussian}), Relation::kAddRemove, "fixed size"},
      {Event::sampled_without_replacement(0.1, {Event::pure(1)}), Relation::kZeroOut, "pure"},
      {Event::repeat_and_select(5, 1, Event::poisson_sampled(0.1, {gaussian})), Relation::kZeroOut,
       "Poisson"},
      {Event::repeat_and_select(0.5, 1, gaussian), Relation::kZeroOut, "at least one run"},
      {Event::repeat_and_select(std::numeric_limits<double>::infinity(), 1, gaussian),
       Relation::kZeroOut, "best of"},
      {Event::poisson_sampled(0.1, {Event::sampled_without_replacement(0.5, {gaussian})}),
       Relation::kAddRemove, "fixed size"},
      {Event::poisson_sampled(0.1, {Event::pure(0.1)}), Relation::kZeroOut, "pure"},
      {Event::repeat(int64_t{1} << 40, Event::repeat(int64_t{1} << 40, gaussian)),
       Relation::kZeroOut, "2^53"},
  };
  for (const auto& c : cases) {
    try {
      PldAccountant(c.relation, {gaussian, c.event});
      ADD_FAILURE() << c.event.to_text();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find(c.named), std::string::npos) << error.what();
    }
  }
}

TEST(Pld, SamplerErrorsTakeTheirShareWithTheFactorOfEpsilon) {
  const std::vector<Event> clean = {Event::gaussian(2)};
  const std::vector<Event> rough = {Event::gaussian(2), Event::sampler_error(1e-8)};
  const double epsilon = epsilon_of(Relation::kZeroOut, rough, 1e-6);
  const double usable = 1e-6 - (1 + std::exp(epsilon)) * 1e-8;
  EXPECT_NEAR(epsilon, epsilon_of(Relation::kZeroOut, clean, usable), 1e-6);
  EXPECT_THROW(epsilon_of(Relation::kZeroOut, {Event::sampler_error(1e-3)}, 1e-6), Error);
}

TEST(Pld, EpsilonsBeyondTheRangeOfExpAreFound) {
  const auto exact = [](double precision) {
    // delta(epsilon) = 1e-5 of a Gaussian with that 1 / noise^2: about mu^2 / 2 + 4.2 mu.
    return precision / 2 + 4.0 * std::sqrt(precision);
  };
  for (double count : {2700.0, 10'000.0}) {
    const std::vector<Event> events = {
        Event::repeat(static_cast<int64_t>(count), Event::gaussian(1))};
    EXPECT_GT(epsilon_of(Relation::kZeroOut, events, 1e-5), exact(count));
    EXPECT_EQ(PldAccountant(Relation::kZeroOut, events).delta(Epsilon(709.8)), 1);
  }
  const std::vector<Event> rare = {Event::poisson_sampled(0.5, {Event::gaussian(0.01)})};
  EXPECT_GT(epsilon_of(Relation::kZeroOut, rare, 1e-5), 5000);
  EXPECT_GT(epsilon_of(Relation::kReplaceOne,
                       {Event::poisson_sampled(0.5, {Event::gaussian(0.02)})}, 1e-5),
            1250);
  EXPECT_GT(
      epsilon_of(Relation::kZeroOut,
                 {Event::poisson_sampled(0.5, {Event::gaussian(0.01), Event::laplace(1)})}, 1e-5),
      5000);
}

TEST(Pld, NoiseBeyondDoublePrecisionIsNotNone) {
  EXPECT_THROW(PldAccountant(Relation::kZeroOut, {Event::gaussian(1e-160)}), Error);
  EXPECT_GT(PldAccountant(Relation::kZeroOut, {Event::gaussian(1e200)}).delta(Epsilon(0)), 0);
  EXPECT_GT(PldAccountant(Relation::kZeroOut, {Event::exponential(1e-200)}).delta(Epsilon(0)), 0);
}

TEST(Pld, TreesHaveALevelMoreAtEveryPowerOfTwo) {
  for (int64_t steps : {1, 2, 3, 4, 7, 8}) {
    const double levels = std::floor(std::log2(static_cast<double>(steps))) + 1;
    EXPECT_NEAR(epsilon_of(Relation::kZeroOut, {Event::tree_aggregation(3, steps)}, 1e-6),
                epsilon_of(Relation::kZeroOut, {Event::gaussian(3 / std::sqrt(levels))}, 1e-6),
                1e-9);
  }
  EXPECT_GT(
      epsilon_of(Relation::kZeroOut, {Event::tree_aggregation(100, int64_t{1} << 49)}, 1e-5),
      epsilon_of(Relation::kZeroOut, {Event::tree_aggregation(100, (int64_t{1} << 49) - 1)}, 1e-5));
}

TEST(Pld, DiscreteGaussianNoiseIsNotPure) {
  const Event event = Event::discrete_gaussian(1, 1);
  EXPECT_THROW(epsilon_of(Relation::kZeroOut, {event}, 0), Error);
  EXPECT_THROW(epsilon_of(Relation::kZeroOut, {Event::repeat_and_select(5, 1, event)}, 0), Error);
}

/// Runs as those of `dpse`: steps on all records and a score, with the failures of samplers.
TEST(Pld, TheBestOfSeveralRunsCostsLessThanByRdp) {
  const Event run =
      Event::composed({Event::repeat(10, Event::poisson_sampled(1, {Event::gaussian(15)})),
                       Event::gaussian(20), Event::sampler_error(1e-20)});
  const Event stage_one = Event::gaussian(8);
  const std::vector<Event> selection = {Event::repeat_and_select(6, 1, run), stage_one};
  const double here = epsilon_of(Relation::kZeroOut, selection, 1e-5);
  RdpAccountant rdp(Relation::kZeroOut);
  for (const Event& event : selection) rdp.compose(event);
  EXPECT_LT(here, 0.8 * rdp.epsilon(Delta(1e-5)).value());
  // One run costs no more than the best of them, all of them cost more.
  EXPECT_GT(here, epsilon_of(Relation::kZeroOut, {run, stage_one}, 1e-5));
  EXPECT_LT(here, epsilon_of(Relation::kZeroOut, {Event::repeat(6, run), stage_one}, 1e-5));
  const std::vector<Event> one = {Event::repeat_and_select(1, 1, run), stage_one};
  EXPECT_NEAR(epsilon_of(Relation::kZeroOut, one, 1e-5),
              epsilon_of(Relation::kZeroOut, {run, stage_one}, 1e-5), 1e-4);
}

/// Noise on a fine grid costs what real noise does, alone, together, of units and on a batch.
TEST(Pld, WideDiscreteNoiseCostsWhatContinuousNoiseDoes) {
  const auto discrete = [](double multiplier) {
    return Event::discrete_gaussian(0x1p38 * multiplier, int64_t{1} << 38);
  };
  const auto of = [](const Event& gaussian, const Event& other, const Event& laplace) {
    const auto batch = [](const Event& event) {
      return Event::repeat(40, Event::poisson_sampled(0.1, {event}));
    };
    return std::vector<std::vector<Event>>{
        {gaussian},
        {gaussian, Event::repeat(4, other)},
        {Event::parallel("sex", {"f", "m"}, {gaussian, other}), Event::sampler_error(1e-9)},
        {Event::rows_of_unit(3, Event::repeat(2, gaussian))},
        {gaussian, Event::discrete_gaussian(5, 1)},
        {batch(gaussian)},
        {Event::repeat(30, laplace)},
        {laplace, other},
        {batch(laplace)},
        {Event::sampled_without_replacement(0.1, {gaussian})}};
  };
  const auto found =
      of(discrete(4), discrete(7), Event::discrete_laplace(0x1p-31, int64_t{1} << 30));
  const auto wanted = of(Event::gaussian(4), Event::gaussian(7), Event::laplace(2));
  for (size_t i = 0; i < found.size(); ++i) {
    const double ratio = epsilon_of(Relation::kZeroOut, found[i], 1e-6) /
                         epsilon_of(Relation::kZeroOut, wanted[i], 1e-6);
    EXPECT_NEAR(ratio, 1, 1e-8) << i;
  }
  EXPECT_THROW(PldAccountant(Relation::kReplaceOne, {Event::poisson_sampled(0.1, {discrete(4)})}),
               Error);
}

TEST(Pld, SaysWhenThereIsNoProtection) {
  const PldAccountant accountant(Relation::kZeroOut, {Event::approx_dp(1, 1e-4)});
  EXPECT_THROW(accountant.epsilon(Delta(1e-5)), Error);
  const PldAccountant open(Relation::kZeroOut, {Event::gaussian(0.01)});
  EXPECT_EQ(open.delta(Epsilon(1)), 1);
  EXPECT_EQ(epsilon_of(Relation::kZeroOut, {}, 1e-6), 0);
}

double dpsgd_epsilon(double rate, double noise, double steps, double delta) {
  return epsilon_of(Relation::kZeroOut,
                    {Event::repeat(static_cast<int64_t>(steps),
                                   Event::poisson_sampled(rate, {Event::gaussian(noise)}))},
                    delta);
}

/// Batches of a large table: bounds from both sides by dp_accounting 0.6, on grids of 1e-4 from
/// above and of 4e-7 to 2e-6 from below.
TEST(Pld, RareBatchesCostWhatTheyShould) {
  const struct {
    double rate, noise, low, high;
  } cases[] = {{2.56e-5, 0.60, 0.5340021, 0.5354836},
               {2.56e-5, 0.65, 0.2496035, 0.2526440},
               {2.56e-5, 0.93, 0.0132370, 0.01517714},
               {1e-6, 0.70, 0.0011915, 0.002680016}};
  for (const auto& c : cases) {
    const double epsilon = dpsgd_epsilon(c.rate, c.noise, 3000, 1e-9);
    EXPECT_GE(epsilon, c.low) << c.noise;
    EXPECT_LE(epsilon, c.high * 1.001) << c.noise;
  }
}

/// At every rate, number of steps and delta, however extreme.
TEST(Pld, EpsilonNeverRisesWithTheNoise) {
  for (const double rate : {1e-6, 1e-4, 1e-2}) {
    for (const double steps : {1.0, 3e3, 1e7}) {
      for (const double delta : {1e-5, 1e-12}) {
        double last = std::numeric_limits<double>::infinity();
        for (double noise = 0.5; noise < 5; noise *= 1.7) {
          const double epsilon = dpsgd_epsilon(rate, noise, steps, delta);
          EXPECT_LE(epsilon, last) << rate << " " << noise << " " << steps << " " << delta;
          last = epsilon;
        }
      }
    }
  }
}

/// Where so many steps make it a Gaussian mechanism: mu = rate sqrt(steps (e^(1 / noise^2) - 1)).
TEST(Pld, ManyBatchesAreNearTheCentralLimit) {
  const struct {
    double rate, noise, steps;
  } cases[] = {{1e-6, 1, 1e7}, {1e-6, 2, 1e7}, {1e-6, 8, 1e7}, {0.16, 400, 1e5}, {0.16, 3000, 3e6}};
  for (const auto& c : cases) {
    const double mu = c.rate * std::sqrt(c.steps * std::expm1(1 / (c.noise * c.noise)));
    for (const double delta : {1e-6, 1e-12}) {
      const double limit = epsilon_of(Relation::kZeroOut, {Event::gaussian(1 / mu)}, delta);
      EXPECT_NEAR(dpsgd_epsilon(c.rate, c.noise, c.steps, delta) / limit, 1, 0.01)
          << c.noise << " " << delta;
    }
  }
}

/// A batch of all records is a Gaussian mechanism, whose steps compose to one.
TEST(Pld, ManyFullBatchesAreNeverBelowTheirGaussian) {
  for (const double steps : {2e4, 3e6}) {
    for (const double noise : {0.5, 4.0}) {
      for (const double delta : {1e-5, 1e-12}) {
        const double exact = epsilon_of(Relation::kZeroOut, {Event::gaussian(noise)}, delta);
        const double composed = dpsgd_epsilon(1, noise * std::sqrt(steps), steps, delta);
        EXPECT_GE(composed, exact * (1 - 1e-12)) << steps << " " << noise << " " << delta;
        EXPECT_LE(composed, exact * 1.002) << steps << " " << noise << " " << delta;
      }
    }
  }
}

TEST(Pld, DeltaAndEpsilonInvertEachOther) {
  const struct {
    double rate, noise, steps;
  } runs[] = {{2.56e-5, 0.65, 3000}, {2.56e-5, 0.93, 3000}, {1e-6, 1, 1e7}, {1e-2, 1, 1000}};
  for (const auto& run : runs) {
    for (const double delta : {1e-5, 1e-9}) {
      const PldAccountant accountant(
          Relation::kZeroOut,
          {Event::repeat(static_cast<int64_t>(run.steps),
                         Event::poisson_sampled(run.rate, {Event::gaussian(run.noise)}))});
      const Epsilon epsilon = accountant.epsilon(Delta(delta));
      if (epsilon.value() == 0) continue;
      EXPECT_NEAR(accountant.delta(epsilon) / delta, 1, 0.01) << run.rate << " " << run.noise;
    }
  }
}

/// A narrow loss beside a smooth one takes nothing off: the spectrum of the smooth one is near 0,
/// where it must keep its digits.
TEST(Pld, EventsBesideAGaussianOnlyAdd) {
  for (const double noise : {0.05297803627950152, 0.2, 0.5, 1.0}) {
    const Event gaussian = Event::gaussian(noise);
    for (const double delta : {1e-6, 1e-10, 1e-11}) {
      for (const double narrow : {1e3, 1e5}) {
        EXPECT_GE(epsilon_of(Relation::kZeroOut, {gaussian, Event::laplace(narrow * noise)}, delta),
                  epsilon_of(Relation::kZeroOut, {gaussian}, delta))
            << noise << " " << delta << " " << narrow;
      }
    }
  }
}

TEST(Pld, OnlyGroupsThatDifferCount) {
  const auto parallel = [](double step) {
    std::vector<std::string> names;
    std::vector<Event> events;
    for (int k = 0; k < 200; ++k) {
      names.push_back(std::to_string(k));
      events.push_back(Event::composed({Event::gaussian(2 + step * k), Event::laplace(5)}));
    }
    return std::vector{Event::parallel("g", names, events)};
  };
  const std::vector<Event> one = {Event::gaussian(2), Event::laplace(5)};
  EXPECT_EQ(PldAccountant(Relation::kZeroOut, parallel(0)).epsilon(Delta(1e-6)).value(),
            PldAccountant(Relation::kZeroOut, one).epsilon(Delta(1e-6)).value());
  EXPECT_THROW(PldAccountant(Relation::kZeroOut, parallel(1)), Error);
}

/// Groups that differ in counts alone are told apart, in any order and among many choices.
TEST(Pld, TheWorstOfGroupsThatDifferInCountsDecides) {
  const auto group = [](int64_t runs) {
    return Event::composed({Event::gaussian(2), Event::repeat(runs, Event::laplace(5))});
  };
  const auto epsilon = [](std::vector<Event> events) {
    return PldAccountant(Relation::kZeroOut, std::move(events)).epsilon(Delta(1e-6)).value();
  };
  const double worst = epsilon({group(3)});
  EXPECT_GT(worst, epsilon({group(2)}));
  for (const bool is_first : {false, true}) {
    const std::vector<Event> groups = {group(is_first ? 3 : 2), group(is_first ? 2 : 3)};
    EXPECT_EQ(epsilon({Event::parallel("g", {"a", "b"}, groups)}), worst);
  }
  std::vector<std::string> names;
  std::vector<Event> groups;
  for (int k = 0; k < 20; ++k) {
    names.push_back(std::to_string(k));
    groups.push_back(Event::repeat(k == 13 ? 3 : 2, Event::laplace(5)));
  }
  EXPECT_EQ(epsilon({Event::parallel("g", names, groups), Event::parallel("h", names, groups)}),
            epsilon({Event::repeat(6, Event::laplace(5))}));
}

TEST(Pld, GroupsInParallelDoNotAddTheirSamplersErrors) {
  const Event of_group =
      Event::composed({Event::gaussian(1), Event::laplace(3), Event::sampler_error(1e-3)});
  const auto delta_of = [&](const std::vector<std::string>& names) {
    return PldAccountant(Relation::kZeroOut,
                         {Event::parallel("g", names, std::vector(names.size(), of_group))})
        .delta(Epsilon(4));
  };
  EXPECT_NEAR(delta_of({"a", "b", "c"}) / delta_of({"a"}), 1, 1e-9);
}

TEST(Pld, ARoughEpsilonIsOneAndNotMuchLarger) {
  for (const testing::BoundedEvent& c : every_kind()) {
    const PldAccountant accountant(c.relation, {Event::repeat(40, c.event)});
    const double epsilon = accountant.epsilon(Delta(1e-6)).value();
    EXPECT_GE(accountant.rough_epsilon(Delta(1e-6)).value(), epsilon * (1 - 1e-3));
    EXPECT_LE(accountant.rough_epsilon(Delta(1e-6)).value(), epsilon * 1.1) << c.event.to_text();
  }
}

}  // namespace equinoise::pld_test
