// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_gaussian_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "equinoise/privacy/random/discrete_gaussian_scan.h"
#include "equinoise/privacy/random/wide.h"
#include "tests/test_support.h"

namespace equinoise::discrete_gaussian_table_test {

Wide to_wide(Uint128 value) {
  return ldexp(Wide(static_cast<uint64_t>(value >> 64)), 64) + Wide(static_cast<uint64_t>(value));
}

class DiscreteGaussianMassesAt : public ::testing::TestWithParam<double> {};

/// Against one exponential per value, summed far beyond what the masses keep.
TEST_P(DiscreteGaussianMassesAt, AreWithinTheStatedErrorOfTheDistribution) {
  const DiscreteGaussianMasses made(GetParam());
  const auto masses = made.masses();
  const Wide variance = Wide(GetParam()) * Wide(GetParam());
  const size_t reach = masses.size() + static_cast<size_t>(2 * GetParam()) + 2;
  std::vector<Wide> weights;
  Wide total = 0;
  for (size_t y = 0; y < reach; ++y) {
    weights.push_back((y == 0 ? 1 : 2) * exp(-Wide(y) * Wide(y) / (2 * variance)));
    total += weights.back();
  }
  Uint128 sum = 0;
  Wide difference = 0;
  for (size_t y = 0; y < reach; ++y) {
    const Uint128 mass = y < masses.size() ? masses[y] : 0;
    sum += mass;
    difference += abs(ldexp(to_wide(mass), -127) - weights[y] / total);
  }
  EXPECT_EQ(sum, Uint128{1} << 127);
  EXPECT_LT(difference / 2, kDiscreteGaussianTableError);
}

/// The alias table is a rearrangement of the masses, to the last bit.
TEST_P(DiscreteGaussianMassesAt, AreThoseOfTheTable) {
  const DiscreteGaussianMasses made(GetParam());
  const DiscreteGaussianTable table(made);
  const size_t step = made.masses().size() / 50 + 1;
  for (size_t y = 0; y < made.masses().size() + 20; y += y < 30 ? 1 : step) {
    const Uint128 expected = y < made.masses().size() ? made.masses()[y] : 0;
    ASSERT_EQ(table.mass_of(y), expected) << y;
  }
}

/// Uniform integers on either side of each cumulative mass.
TEST_P(DiscreteGaussianMassesAt, AreThoseOfTheScan) {
  const DiscreteGaussianMasses made(GetParam());
  const DiscreteGaussianScan scan(made);
  const size_t step = made.masses().size() / 50 + 1;
  Uint128 cumulative = 0;
  for (size_t y = 0; y < made.masses().size(); ++y) {
    const Uint128 first = cumulative;
    cumulative += made.masses()[y];
    if (y > 30 && y % step != 0) continue;
    if (made.masses()[y] == 0) continue;
    for (const Uint128 uniform : {first, cumulative - 1}) {
      const auto high = static_cast<uint64_t>(uniform >> 64) << 1;
      const auto low = static_cast<uint64_t>(uniform);
      ASSERT_EQ(scan.draw(high, low), static_cast<int64_t>(y));
      ASSERT_EQ(scan.draw(high | 1, low), -static_cast<int64_t>(y));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stddevs, DiscreteGaussianMassesAt,
                         ::testing::Values(kMinDiscreteGaussianTableStddev, 0.7, 1.0, 4.0, 33.3,
                                           300.5, kMaxDiscreteGaussianTableStddev));

TEST(DiscreteGaussianTable, TheSecondWordDecidesOnTheBorderOnly) {
  const DiscreteGaussianMasses masses(2.0);
  const DiscreteGaussianTable table(masses);
  // With 2^b columns: the border of column 1 lies where the table's answer changes.
  const int bits = bit_width(masses.masses().size() - 1);
  const uint64_t column = uint64_t{1} << (64 - bits);
  const auto draw = [&](uint64_t head, std::vector<uint64_t> rest, size_t expected_words) {
    size_t drawn = 0;
    const int64_t value = table.draw([&] {
      ++drawn;
      return drawn == 1 ? column | head << 1 : rest.at(drawn - 2);
    });
    EXPECT_EQ(drawn, expected_words);
    return value;
  };
  uint64_t low = 0;  // own magnitude
  uint64_t high = uint64_t{1} << (63 - bits);
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    const int64_t value = table.draw([&, first = true]() mutable {
      const uint64_t word = first ? column | middle << 1 : 0;
      first = false;
      return word;
    });
    (value == 1 ? low : high) = middle;
  }
  EXPECT_EQ(draw(low - 1, {}, 1), 1);
  EXPECT_EQ(draw(low, {0}, 2), 1);
  EXPECT_NE(draw(low, {~uint64_t{0}}, 2), 1);
  EXPECT_NE(draw(high, {}, 1), 1);
}

TEST(DiscreteGaussianTable, KnownAnswer) {
  std::vector<int64_t> units(8, 100);
  SeededSource source(1);
  DiscreteGaussianTable(10).add_noise(units, source);
  EXPECT_EQ(units, (std::vector<int64_t>{105, 88, 107, 107, 125, 97, 103, 120}));
}

TEST(DiscreteGaussianScan, KnownAnswer) {
  std::vector<int64_t> units(8, 100);
  SeededSource source(1);
  DiscreteGaussianScan(10).add_noise(units, source);
  EXPECT_EQ(units, (std::vector<int64_t>{106, 108, 101, 104, 104, 102, 103, 110}));
}

TEST(DiscreteGaussianTable, NeitherItNorTheScanWrapsAround) {
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  const DiscreteGaussianTable table(3);
  const DiscreteGaussianScan scan(3);
  SeededSource source(3);
  for (int64_t edge : {kHighest, kLowest}) {
    std::vector<int64_t> from_table(100, edge);
    std::vector<int64_t> from_scan(100, edge);
    table.add_noise(from_table, source);
    scan.add_noise(from_scan, source);
    size_t clamped = 0;
    for (size_t i = 0; i < 100; ++i) {
      EXPECT_LT(std::abs(from_table[i] / 2 - edge / 2), 100);
      EXPECT_LT(std::abs(from_scan[i] / 2 - edge / 2), 100);
      clamped += from_scan[i] == edge ? 1 : 0;
    }
    EXPECT_GT(clamped, 30U);
    EXPECT_LT(clamped, 90U);
  }
}

TEST(DiscreteGaussianTable, RefusesAStddevThatIsNotInRange) {
  for (double stddev : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(),
                        kMaxDiscreteGaussianTableStddev * 2, 0.1}) {
    const std::string message =
        error_of(ErrorKind::kUsage, [&] { DiscreteGaussianMasses masses(stddev); });
    EXPECT_NE(message.find("discrete Gaussian stddev"), std::string::npos) << message;
  }
}

}  // namespace equinoise::discrete_gaussian_table_test
