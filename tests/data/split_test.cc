// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/split.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "equinoise/base/lists.h"
#include "tests/test_support.h"

namespace equinoise::split_test {

TEST(SplitTest, EveryRecordIsInExactlyOnePart) {
  const Split split = split_records(48842, 0.2, 7);
  EXPECT_EQ(split.test.size(), 9768u);
  EXPECT_TRUE(std::ranges::is_sorted(split.train));
  EXPECT_TRUE(std::ranges::is_sorted(split.test));
  std::vector<uint32_t> all = split.train;
  append(all, split.test);
  std::ranges::sort(all);
  std::vector<uint32_t> expected(48842);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(all, expected);
}

TEST(SplitTest, SizesAreKnownWithoutTheParts) {
  for (const double fraction : {0.0, 0.1, 0.29, 0.999}) {
    const Split split = split_records(1000, fraction, 3);
    const SplitSizes sizes = split_sizes(1000, fraction);
    EXPECT_EQ(sizes.train, std::ssize(split.train)) << fraction;
    EXPECT_EQ(sizes.test, std::ssize(split.test)) << fraction;
  }
  EXPECT_EQ(split_sizes(4'294'967'294, 0).train, 4'294'967'294);
}

// Models that were saved know their held-out records by it.
TEST(SplitTest, TheFirstOfThePublicOrderAreTested) {
  std::vector<uint32_t> first = public_order(1000, 11);
  first.resize(300);
  std::ranges::sort(first);
  EXPECT_EQ(split_records(1000, 0.3, 11).test, first);
  EXPECT_THAT(split_records(12, 0.3, 7).test, ElementsAre(4, 5, 9));
}

TEST(SplitTest, TheSeedDecides) {
  EXPECT_EQ(split_records(1000, 0.3, 1).test, split_records(1000, 0.3, 1).test);
  EXPECT_NE(split_records(1000, 0.3, 1).test, split_records(1000, 0.3, 2).test);
}

TEST(SplitTest, NoPositionIsFavoured) {
  // Each third of the records holds Binomial(10000, 0.3) test records up to a smaller
  // hypergeometric spread: 6 standard deviations are 275, an event of less than 1e-8 for a random
  // order. The seed is fixed.
  const Split split = split_records(30000, 0.3, 20240607);
  std::vector<int> thirds(3, 0);
  for (const uint32_t record : split.test) ++thirds[record / 10000];
  for (const int count : thirds) EXPECT_NEAR(count, 3000, 275);
}

TEST(SplitTest, DecimalFractionsComeOutAsWritten) {
  EXPECT_EQ(split_records(100, 0.29, 1).test.size(), 29u);
  EXPECT_EQ(split_records(10, 0.25, 1).test.size(), 2u);
}

TEST(SplitTest, ZeroMeansNoTest) {
  const Split split = split_records(5, 0, 1);
  EXPECT_TRUE(split.test.empty());
  EXPECT_THAT(split.train, ElementsAre(0, 1, 2, 3, 4));
}

TEST(SplitTest, RefusesEmptyPartsAndBadFractions) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double fraction : {-0.1, 1.0, 1.5, nan}) {
    EXPECT_ERROR(kUsage, HasSubstr("test_fraction must be >= 0 and < 1"),
                 split_records(10, fraction, 1));
  }
  EXPECT_ERROR(kUsage, HasSubstr("leaves 4 of 4 records for training and 0"),
               split_records(4, 0.2, 1));
  EXPECT_ERROR(kUsage, HasSubstr("leaves 4 of 4 units (pid) for training and 0"),
               split_records(4, 0.2, 1, "units (pid)"));
  error_of(ErrorKind::kUsage, [] { split_records(1, std::nextafter(1.0, 0.0), 1); });
  error_of(ErrorKind::kUsage, [] { split_records(0, 0, 1); });
  error_of(ErrorKind::kUsage, [] { split_records(int64_t{1} << 33, 0.5, 1); });
}

}  // namespace equinoise::split_test
