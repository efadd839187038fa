// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/rounded_laplace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/privacy/random/enumerated_trials.h"
#include "tests/privacy/random/random_trials.h"
#include "tests/test_support.h"

namespace equinoise::rounded_laplace_test {

/// The probability that scale * L rounds to `y`, from the Laplace distribution function.
Wide rounded_probability(const Wide& scale, int64_t y) {
  if (y == 0) return 1 - exp(-1 / (2 * scale));
  const Wide low = Wide(y < 0 ? -y : y) - Wide(0.5);
  return (exp(-low / scale) - exp(-(low + 1) / scale)) / 2;
}

/// Every decision both ways, but for paths lighter than `least`: no value has more mass than it
/// should, and little is missing. With a denominator of 1 (a scale 1 / 2^n) nothing is ever
/// redrawn.
TEST(RoundedLaplace, HasTheDistributionOfARoundedLaplace) {
  struct Case {
    double scale;
    Wide least;
    Wide missing;
  };
  for (const auto& [scale, least, missing] : std::vector<Case>{{0.25, Wide("1e-40"), Wide("1e-35")},
                                                               {0.5, Wide("1e-40"), Wide("1e-35")},
                                                               {1.0, Wide("1e-40"), Wide("1e-35")},
                                                               {0.375, Wide("1e-6"), Wide("1e-3")},
                                                               {1.5, Wide("1e-6"), Wide("1e-3")},
                                                               {3.0, Wide("1e-6"), Wide("1e-3")}}) {
    const RoundedLaplace laplace(scale);
    const auto distribution = EnumeratedTrials::distribution_of<Int128>(
        [&](EnumeratedTrials& trials) { return laplace.draw(trials); }, least);
    Wide total = 0;
    for (const auto& [value, mass] : distribution) {
      total += mass;
      const Wide expected = rounded_probability(scale, static_cast<int64_t>(value));
      ASSERT_LE(mass, expected * (1 + Wide("1e-60"))) << scale;
    }
    EXPECT_LT(1 - total, missing) << scale;
  }
}

class RoundedLaplaceScale : public ::testing::TestWithParam<double> {};

TEST_P(RoundedLaplaceScale, EqualsTheFractionsOnTheSameWords) {
  std::vector<int64_t> fast(20'000, 0);
  std::vector<int64_t> by_fractions(fast.size(), 0);
  SeededSource fast_source(31);
  SeededSource same_source(31);
  add_rounded_laplace(GetParam(), fast, fast_source);
  add_draws<true>(RoundedLaplace(GetParam()), by_fractions, same_source);
  EXPECT_EQ(fast, by_fractions);
  EXPECT_EQ(fast_source.next(), same_source.next());
}

TEST_P(RoundedLaplaceScale, BoundsHoldAndAreTight) {
  const RoundedLaplace laplace(GetParam());
  RandomTrials trials(32);
  for (int i = 0; i < 20'000; ++i) laplace.draw(trials);
  EXPECT_LE(trials.widest(), 0x1p-64);
}

INSTANTIATE_TEST_SUITE_P(Scales, RoundedLaplaceScale,
                         ::testing::Values(kMinRoundedLaplaceScale, 0.1, 0.5, 1.0, 1.0 / 3, 7.3,
                                           1024.0, 1e6 / 7, 0x1p39 * 1.3,
                                           kMaxRoundedLaplaceScale / 3, kMaxRoundedLaplaceScale));

TEST(RoundedLaplaceNoise, KnownAnswer) {
  std::vector<int64_t> units(8, 100);
  SeededSource source(1);
  add_rounded_laplace(10, units, source);
  EXPECT_EQ(units, (std::vector<int64_t>{40, 91, 105, 108, 97, 106, 83, 96}));
}

TEST(RoundedLaplaceNoise, NeverWrapsAround) {
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> units = {kHighest, std::numeric_limits<int64_t>::min()};
  SeededSource source(3);
  for (int i = 0; i < 50; ++i) {
    add_rounded_laplace(1, units, source);
    EXPECT_GT(units[0], kHighest - 1000);
    EXPECT_LT(units[1], -(kHighest - 1000));
  }
}

TEST(RoundedLaplaceNoise, RefusesAScaleThatIsNotInRange) {
  std::vector<int64_t> units(1, 5);
  SeededSource source(1);
  for (double scale : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(),
                       kMaxRoundedLaplaceScale * 2, kMinRoundedLaplaceScale / 2}) {
    const std::string message =
        error_of(ErrorKind::kUsage, [&] { add_rounded_laplace(scale, units, source); });
    EXPECT_NE(message.find("Laplace scale"), std::string::npos) << message;
  }
  EXPECT_EQ(units[0], 5);
}

}  // namespace equinoise::rounded_laplace_test
