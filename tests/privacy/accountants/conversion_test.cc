// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace equinoise::conversion_test {

TEST(Conversion, EpsilonAndDeltaInvertEachOther) {
  for (double order : {1.1, 2.0, 17.0, 1024.0}) {
    for (double delta : {1e-3, 1e-6, 1e-12}) {
      const double epsilon = renyi_epsilon(order, 0.3 * order, delta);
      if (epsilon < 0) continue;
      const double back = renyi_delta({order}, {0.3 * order}, epsilon);
      EXPECT_NEAR(back, delta, delta * 1e-8);
      EXPECT_GE(back, delta * (1 - 1e-12));
    }
  }
}

TEST(Conversion, DeltaIsAboveTheTruthOfTheGaussian) {
  const auto cumulative = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  for (double epsilon : {0.5, 1.0, 3.0, 6.0}) {
    const double truth = cumulative(0.5 - epsilon) - std::exp(epsilon) * cumulative(-0.5 - epsilon);
    double least = 1;
    for (double order = 1.05; order < 40; order += 0.05) {
      least = std::fmin(least, renyi_delta({order}, {order / 2}, epsilon));
    }
    EXPECT_GE(least, truth);
    EXPECT_LE(least, 10 * truth);
  }
}

TEST(Conversion, NothingUsefulIsOneAndTinyDeltasDoNotVanish) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(renyi_delta({2}, {infinity}, 1), 1);
  EXPECT_EQ(renyi_delta({2}, {std::nan("")}, 1), 1);
  EXPECT_EQ(renyi_delta({}, {}, 1), 1);
  EXPECT_GT(renyi_delta({1000}, {0.1}, 50), 0);
}

}  // namespace equinoise::conversion_test
