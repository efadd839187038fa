// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_laplace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/privacy/random/enumerated_trials.h"
#include "tests/privacy/random/random_trials.h"
#include "tests/test_support.h"

namespace equinoise::discrete_laplace_test {
namespace {

/// Every decision of one proposal both ways: the accepted values have the ratios of the
/// distribution.
TEST(DiscreteLaplace, ProposalsHaveTheRatiosOfTheDistribution) {
  for (double decay : {0.25, 0.375, 1.0, 1.5, 2.75, 3.0, 8.0}) {
    const DiscreteLaplace laplace(decay);
    const auto distribution = EnumeratedTrials::distribution_of<std::optional<Int128>>(
        [&](EnumeratedTrials& trials) { return laplace.propose(trials); }, Wide("1e-60"));
    const Wide at_zero = distribution.at(Int128{0});
    size_t values = 0;
    for (const auto& [value, mass] : distribution) {
      if (!value) continue;
      const Wide expected = exp(-Wide(decay) * abs(Wide(static_cast<int64_t>(*value))));
      // The geometric part of a value collects several paths, of which the lightest are left out.
      if (expected < Wide("1e-20")) continue;
      ++values;
      ASSERT_LT(abs(mass / at_zero - expected), expected * Wide("1e-30"))
          << decay << " at " << static_cast<int64_t>(*value);
      ASSERT_EQ(distribution.count(-*value), 1U);
    }
    EXPECT_GE(values, static_cast<size_t>(2 * std::floor(40 / decay) + 1)) << decay;
  }
}

/// A change of the sum by the sensitivity multiplies no probability by more than
/// exp(decay * sensitivity), and multiplies some by as much.
TEST(DiscreteLaplace, ANeighboursChangeCostsWhatIsCharged) {
  const DiscreteLaplace laplace(1.0);
  const auto distribution = EnumeratedTrials::distribution_of<std::optional<Int128>>(
      [&](EnumeratedTrials& trials) { return laplace.propose(trials); }, Wide("1e-60"));
  for (int64_t sensitivity : {1, 2, 5}) {
    Wide greatest = 0;
    for (int64_t y = -30; y <= 30; ++y) {
      const Wide ratio = distribution.at(Int128{y}) / distribution.at(Int128{y - sensitivity});
      if (ratio > greatest) greatest = ratio;
    }
    EXPECT_LT(abs(log(greatest) - sensitivity), Wide("1e-30"));
  }
}

class DiscreteLaplaceDecay : public ::testing::TestWithParam<double> {};

TEST_P(DiscreteLaplaceDecay, EqualsTheFractionsOnTheSameWords) {
  std::vector<int64_t> fast(20'000, 0);
  std::vector<int64_t> by_fractions(fast.size(), 0);
  SeededSource fast_source(21);
  SeededSource same_source(21);
  add_discrete_laplace(GetParam(), fast, fast_source);
  add_draws<true>(DiscreteLaplace(GetParam()), by_fractions, same_source);
  EXPECT_EQ(fast, by_fractions);
  EXPECT_EQ(fast_source.next(), same_source.next());
}

TEST_P(DiscreteLaplaceDecay, BoundsHoldAndAreTight) {
  const DiscreteLaplace laplace(GetParam());
  RandomTrials trials(22);
  for (int i = 0; i < 20'000; ++i) laplace.propose(trials);
  EXPECT_LE(trials.widest(), 0x1p-64);
}

INSTANTIATE_TEST_SUITE_P(Decays, DiscreteLaplaceDecay,
                         ::testing::Values(kMinDiscreteLaplaceDecay, kMinDiscreteLaplaceDecay * 1.1,
                                           1e-9, 0.001, 0.1, 0.5, 1.0, 1.0 / 3, 2.7, 16.0,
                                           kMaxDiscreteLaplaceDecay));

TEST(Geometric, LargeQuotientsAreNotCutShort) {
  // The 128-bit path ends at v = 2^34; both sides of it agree with the fractions.
  const uint64_t numerator = (uint64_t{1} << 53) - 1;
  const Uint128 denominator = Uint128{1} << 92;
  const Geometric geometric(numerator, denominator);
  for (uint64_t v : {(uint64_t{1} << 34) - 1, uint64_t{1} << 34, uint64_t{1} << 35}) {
    const Uint128 u = denominator - 1;
    const BigInteger x = BigInteger(u) + BigInteger(denominator) * v;
    EXPECT_EQ(BigInteger(geometric.quotient(u, v)), x / numerator) << v;
  }
  EXPECT_EQ(geometric.quotient(0, ~uint64_t{0}),
            static_cast<Uint128>((BigInteger(denominator) * ~uint64_t{0}) / numerator));
  EXPECT_EQ(Geometric(1, denominator).quotient(0, ~uint64_t{0}), Uint128{1} << 120);
  EXPECT_EQ(Geometric(1, denominator).quotient(0, (uint64_t{1} << 34) - 1), Uint128{1} << 120);
}

TEST(DiscreteLaplaceNoise, KnownAnswer) {
  std::vector<int64_t> units(8, 100);
  SeededSource source(1);
  add_discrete_laplace(0.1, units, source);
  EXPECT_EQ(units, (std::vector<int64_t>{123, 95, 89, 109, 101, 97, 87, 87}));
}

TEST(DiscreteLaplaceNoise, NeverWrapsAround) {
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> units = {kHighest, kLowest};
  SeededSource source(3);
  for (int i = 0; i < 50; ++i) {
    add_discrete_laplace(1, units, source);
    EXPECT_GT(units[0], kHighest - 1000);
    EXPECT_LT(units[1], kLowest + 1000);
  }
}

TEST(DiscreteLaplaceNoise, RefusesADecayThatIsNotInRange) {
  std::vector<int64_t> units(1, 5);
  SeededSource source(1);
  for (double decay : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(),
                       kMaxDiscreteLaplaceDecay * 2, kMinDiscreteLaplaceDecay / 2}) {
    const std::string message =
        error_of(ErrorKind::kUsage, [&] { add_discrete_laplace(decay, units, source); });
    EXPECT_NE(message.find("discrete Laplace decay"), std::string::npos) << message;
  }
  EXPECT_EQ(units[0], 5);
}

}  // namespace
}  // namespace equinoise::discrete_laplace_test
