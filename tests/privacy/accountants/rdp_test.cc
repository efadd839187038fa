#include "equinoise/privacy/accountants/rdp.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "equinoise/base/error.h"
#include "tests/shared_vectors.h"

namespace equinoise {
namespace {

using testing::expect_close;

std::vector<Event> events_of(const nlohmann::json& list) {
  std::vector<Event> events;
  for (const auto& event : list) events.push_back(Event::from_json(event));
  return events;
}

TEST(Rdp, DivergencesAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/subsampled_gaussian_rdp_values.json");
  EXPECT_FALSE(cases.empty());
  for (const auto& c : cases) {
    const auto& event = c["events"][0];
    const double got =
        subsampled_gaussian_rdp(event["q"], event["events"][0]["noise_multiplier"], c["order"]);
    expect_close(got, c["rdp"], c["tolerance"], c["id"]);
  }
}

TEST(Rdp, EpsilonsAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/subsampled_gaussian_rdp.json");
  EXPECT_FALSE(cases.empty());
  for (const auto& c : cases) {
    const double epsilon =
        rdp_epsilon(Relation::kZeroOut, events_of(c["events"]), Delta(c["delta"].get<double>()))
            .value();
    EXPECT_GE(epsilon, c["tolerance"]["value_must_be_at_least"].get<double>()) << c["id"];
    EXPECT_LE(epsilon, c["tolerance"]["value_must_be_at_most"].get<double>()) << c["id"];
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
    const double epsilon =
        rdp_epsilon(Relation::kZeroOut, events_of(c["events"]), Delta(c["delta"].get<double>()))
            .value();
    expect_close(epsilon, c["rdp_epsilon"], c["rdp_tolerance"], c["id"]);
  }
  EXPECT_GT(checked, 0);
}

/// An independent evaluation: E[(1 - q + q e^((2x-1)/(2 s^2)))^a] by a fine midpoint rule in
/// 50-digit arithmetic.
TEST(Rdp, FractionalOrdersAgreeWithHighPrecisionQuadrature) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>>;
  struct Case {
    double rate, noise, order;
  };
  for (const Case& c : {Case{0.01, 1, 1.1}, Case{0.2, 5, 1.3}, Case{1e-4, 2, 1.5},
                        Case{0.3, 0.5, 2.7}, Case{0.5, 1, 10.9}, Case{1e-3, 10, 4.5}}) {
    const Real noise = c.noise;
    const Real low = -14 * noise;
    const int count = 6000;
    const Real step = (Real(c.order) + 28 * noise) / count;
    Real moment = 0;
    for (int i = 0; i < count; ++i) {
      const Real x = low + step * (i + Real(0.5));
      const Real ratio = 1 - Real(c.rate) + Real(c.rate) * exp((2 * x - 1) / (2 * noise * noise));
      moment += pow(ratio, Real(c.order)) * exp(-x * x / (2 * noise * noise));
    }
    moment *= step / (noise * sqrt(2 * boost::math::constants::pi<Real>()));
    const auto want = static_cast<double>(log(moment) / (Real(c.order) - 1));
    const double got = subsampled_gaussian_rdp(c.rate, c.noise, c.order);
    EXPECT_GE(got, want) << c.rate << " " << c.noise << " " << c.order;
    EXPECT_LE(got, want * (1 + 1e-9)) << c.rate << " " << c.noise << " " << c.order;
  }
}

TEST(Rdp, IsMonotoneInRateStepsAndNoise) {
  const auto epsilon = [](double rate, double noise, int64_t steps) {
    return rdp_epsilon(
               Relation::kZeroOut,
               {Event::repeat(steps, Event::poisson_sampled(rate, {Event::gaussian(noise)}))},
               Delta(1e-6))
        .value();
  };
  EXPECT_LT(epsilon(0.01, 1, 100), epsilon(0.011, 1, 100));
  EXPECT_LT(epsilon(0.01, 1, 100), epsilon(0.01, 1, 101));
  EXPECT_LT(epsilon(0.01, 1, 100), epsilon(0.01, 0.99, 100));
}

TEST(Rdp, RepeatEqualsCompositionForEveryEvent) {
  for (const Event& event :
       {Event::gaussian(3), Event::zcdp(0.01), Event::poisson_sampled(0.1, {Event::gaussian(2)}),
        Event::composed({Event::gaussian(4), Event::zcdp(0.02)}), Event::sampler_error(1e-9)}) {
    RdpAccountant repeated(Relation::kZeroOut);
    repeated.compose(Event::repeat(7, event));
    repeated.compose(Event::gaussian(50));
    RdpAccountant composed(Relation::kZeroOut);
    for (int i = 0; i < 7; ++i) composed.compose(event);
    composed.compose(Event::gaussian(50));
    EXPECT_NEAR(repeated.epsilon(Delta(1e-6)).value(), composed.epsilon(Delta(1e-6)).value(), 1e-12)
        << event.to_text();
  }
}

TEST(Rdp, OrderOfEventsDoesNotMatter) {
  const Event a = Event::repeat(10, Event::poisson_sampled(0.1, {Event::gaussian(2)}));
  const Event b = Event::gaussian(5);
  EXPECT_NEAR(rdp_epsilon(Relation::kZeroOut, {a, b}, Delta(1e-6)).value(),
              rdp_epsilon(Relation::kZeroOut, {b, a}, Delta(1e-6)).value(), 1e-12);
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
       {Event::gaussian(1e-10), Event::repeat(int64_t{1} << 62, Event::gaussian(1)),
        Event::gaussian(1e-3), Event::gaussian(0.011)}) {
    RdpAccountant accountant(Relation::kZeroOut);
    accountant.compose(Event::poisson_sampled(0.5, {inner}));
    EXPECT_GT(accountant.epsilon(Delta(1e-6)).value(), 1000) << inner.to_text();
  }
}

TEST(Rdp, SamplingNeverCostsMoreThanNoSampling) {
  for (double noise : {0.005, 0.02, 0.5, 3.0}) {
    for (double order : {1.1, 2.0, 7.3, 64.0}) {
      EXPECT_LE(subsampled_gaussian_rdp(0.3, noise, order),
                order / (2 * noise * noise) * (1 + 1e-10));
    }
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

}  // namespace
}  // namespace equinoise
