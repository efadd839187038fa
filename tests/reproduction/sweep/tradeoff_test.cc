// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/tradeoff.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace equinoise::tradeoff_test {

const std::vector<double> kDisparities = {0.2, 0.1, 0.02, 0.04};
const std::vector<double> kErrors = {15, 16, 18, 20};

double min_at(double level) {
  const auto place = min_error_within(kDisparities, kErrors, level);
  return place ? place->mix(kErrors) : std::numeric_limits<double>::quiet_NaN();
}

TEST(Tradeoff, IsReadAtItsPointsAndBetweenThem) {
  EXPECT_DOUBLE_EQ(min_at(0.3), 15);
  EXPECT_DOUBLE_EQ(min_at(0.2), 15);
  EXPECT_DOUBLE_EQ(min_at(0.15), 15.5);
  // The third and the second point; a point that others dominate does not count.
  EXPECT_DOUBLE_EQ(min_at(0.06), 17);
  EXPECT_DOUBLE_EQ(min_at(0.04), 17.5);
  EXPECT_DOUBLE_EQ(min_at(0.02), 18);
  EXPECT_FALSE(min_error_within(kDisparities, kErrors, 0.01).has_value());
}

TEST(Tradeoff, OtherFiguresAreReadAtTheSamePlace) {
  const auto place = min_error_within(kDisparities, kErrors, 0.15);
  ASSERT_TRUE(place.has_value());
  EXPECT_DOUBLE_EQ(place->mix(std::vector<double>{1, 3, 100, 100}), 2);
  EXPECT_DOUBLE_EQ(place->mix(kDisparities), 0.15);
}

TEST(Tradeoff, WithoutAFigureThereIsNoPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(min_error_within(std::vector<double>{nan}, std::vector<double>{1}, 0.5));
  EXPECT_FALSE(min_error_within(std::vector<double>{}, std::vector<double>{}, 0.5));
}

}  // namespace equinoise::tradeoff_test
