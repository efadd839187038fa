// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "equinoise/base/error.h"
#include "tests/privacy/random/enumerated_trials.h"
#include "tests/privacy/random/random_trials.h"
#include "tests/test_support.h"

namespace equinoise::discrete_gaussian_test {
namespace {

/// Every decision of one proposal both ways: the accepted values have the ratios of the
/// distribution.
TEST(DiscreteGaussian, ProposalsHaveTheRatiosOfTheDistribution) {
  for (double stddev : {0.1, 0.3, 0.75, 1.0, 1.7, 2.5, 5.3}) {
    const DiscreteGaussian gaussian(stddev);
    const auto distribution = EnumeratedTrials::distribution_of<std::optional<Int128>>(
        [&](EnumeratedTrials& trials) { return gaussian.propose(trials); }, Wide("1e-30"));
    const Wide at_zero = distribution.at(Int128{0});
    Wide total = 0;
    size_t values = 0;
    for (const auto& [value, mass] : distribution) {
      total += mass;
      if (!value) continue;
      ++values;
      const Wide y = static_cast<int64_t>(*value);
      const Wide expected = exp(-y * y / (2 * Wide(stddev) * Wide(stddev)));
      ASSERT_LT(abs(mass / at_zero - expected), expected * Wide("1e-60"))
          << stddev << " at " << static_cast<int64_t>(*value);
      ASSERT_EQ(distribution.count(-*value), 1U);
    }
    EXPECT_GT(values, static_cast<size_t>(14 * stddev)) << stddev;
    EXPECT_LT(abs(total - 1), Wide("1e-24")) << stddev;
    EXPECT_GT(1 - distribution.at(std::nullopt), Wide(0.3)) << "acceptance at stddev " << stddev;
  }
}

class DiscreteGaussianStddev : public ::testing::TestWithParam<double> {};

TEST_P(DiscreteGaussianStddev, EqualsTheFractionsOnTheSameWords) {
  std::vector<int64_t> fast(20'000, 0);
  std::vector<int64_t> by_fractions(fast.size(), 0);
  SeededSource fast_source(11);
  SeededSource same_source(11);
  add_discrete_gaussian(GetParam(), fast, fast_source);
  add_draws<true>(DiscreteGaussian(GetParam()), by_fractions, same_source);
  EXPECT_EQ(fast, by_fractions);
  EXPECT_EQ(fast_source.next(), same_source.next());
}

TEST_P(DiscreteGaussianStddev, BoundsHoldAndAreTight) {
  const DiscreteGaussian gaussian(GetParam());
  RandomTrials trials(12);
  for (int i = 0; i < 20'000; ++i) gaussian.propose(trials);
  EXPECT_LT(trials.widest(), 0x1p-38 * std::max(1.0, 1 / GetParam() / GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Scales, DiscreteGaussianStddev,
                         ::testing::Values(kMinDiscreteGaussianStddev, 0.013, 0.3, 0.7071, 0.70712,
                                           1.0, 4.0, 5.656, 5.657, 1000.0, 1e6 / 3, 0x1p32 * 1.7,
                                           kMaxDiscreteGaussianStddev / 3,
                                           kMaxDiscreteGaussianStddev));

TEST(DiscreteGaussianNoise, KnownAnswer) {
  std::vector<int64_t> units(8, 100);
  SeededSource source(1);
  add_discrete_gaussian(10, units, source);
  EXPECT_EQ(units, (std::vector<int64_t>{119, 100, 99, 106, 96, 91, 86, 101}));
}

TEST(DiscreteGaussianNoise, IsAddedToWhatIsThere) {
  std::vector<int64_t> zero(50, 0);
  std::vector<int64_t> shifted(50, -1'000'000);
  SeededSource a(3);
  SeededSource b(3);
  add_discrete_gaussian(100, zero, a);
  add_discrete_gaussian(100, shifted, b);
  for (size_t i = 0; i < zero.size(); ++i) EXPECT_EQ(shifted[i] - zero[i], -1'000'000);
}

TEST(DiscreteGaussianNoise, NeverWrapsAround) {
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> high(100, kHighest);
  std::vector<int64_t> low(100, kLowest);
  SeededSource source(3);
  add_discrete_gaussian(100, high, source);
  add_discrete_gaussian(100, low, source);
  size_t clamped = 0;
  for (int64_t unit : high) {
    EXPECT_GT(unit, kHighest - 1000);
    clamped += unit == kHighest ? 1 : 0;
  }
  for (int64_t unit : low) EXPECT_LT(unit, kLowest + 1000);
  EXPECT_GT(clamped, 20U);
}

TEST(DiscreteGaussianNoise, RefusesAStddevThatIsNotInRange) {
  std::vector<int64_t> units(1, 5);
  SeededSource source(1);
  for (double stddev : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(),
                        kMaxDiscreteGaussianStddev * 2, kMinDiscreteGaussianStddev / 2}) {
    const std::string message =
        error_of(ErrorKind::kUsage, [&] { add_discrete_gaussian(stddev, units, source); });
    EXPECT_NE(message.find("discrete Gaussian stddev"), std::string::npos) << message;
  }
  EXPECT_EQ(units[0], 5);
}

}  // namespace
}  // namespace equinoise::discrete_gaussian_test
