// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/attack_bounds.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "equinoise/privacy/accountants/accountant.h"

namespace equinoise::attack_bounds_test {

AttackBounds of(const std::vector<Event>& events, Relation relation = Relation::kZeroOut) {
  return attack_bounds(relation, events);
}

/// The best test of a Gaussian mechanism is known. [DongRothSu2022]
TEST(AttackBounds, OfAGaussianAreThoseOfTheBestTest) {
  const boost::math::normal normal;
  for (const double sigma : {0.3, 0.5, 1.0, 2.0, 5.0, 40.0}) {
    for (const int count : {1, 16}) {
      const double shift = std::sqrt(count) / sigma;
      const double rate = cdf(normal, quantile(normal, kFalsePositiveRate) + shift);
      const double advantage = 2 * cdf(normal, shift / 2) - 1;
      const AttackBounds found = of({Event::repeat(count, Event::gaussian(sigma))});
      EXPECT_GE(found.true_positive_rate, rate * (1 - 1e-12)) << sigma;
      EXPECT_GE(found.advantage, advantage * (1 - 1e-12)) << sigma;
      EXPECT_LE(found.advantage, 1.01 * advantage) << sigma;
      // Beyond the point where the best test loses more by a false positive than it gains, the
      // bound follows a straight line.
      if (rate < 0.9) {
        EXPECT_LE(found.true_positive_rate, 1.01 * rate) << sigma;
      }
    }
  }
}

TEST(AttackBounds, OfNoiseOnAFineGridAreThoseOfRealNoise) {
  const AttackBounds real = of({Event::gaussian(4)});
  const AttackBounds discrete = of({Event::discrete_gaussian(0x1p40, int64_t{1} << 38)});
  EXPECT_NEAR(discrete.advantage, real.advantage, 1e-9);
  EXPECT_NEAR(discrete.true_positive_rate, real.true_positive_rate, 1e-9);
}

TEST(AttackBounds, OfLaplaceNoiseGrowByTheLargestLoss) {
  const AttackBounds found = of({Event::laplace(1)});
  EXPECT_GE(found.true_positive_rate, std::exp(1) * kFalsePositiveRate * (1 - 1e-12));
  EXPECT_LE(found.true_positive_rate, 1.01 * std::exp(1) * kFalsePositiveRate);
  EXPECT_NEAR(found.advantage, 1 - std::exp(-0.5), 1e-3);
}

/// Of few looks at batches most records are in none; no epsilon of a fine grid shows less.
TEST(AttackBounds, OfSampledStepsAreTheLeastOfAllEpsilons) {
  const std::vector<Event> events = {
      Event::repeat(500, Event::poisson_sampled(0.02, {Event::gaussian(1.2)}))};
  const AttackBounds found = of(events);
  const auto accountant = find_accountant(kSmallest).make(Relation::kZeroOut, events);
  double least = 1;
  for (double epsilon = 0; epsilon < 4; epsilon += 0.02)
    least = std::min(least,
                     std::exp(epsilon) * kFalsePositiveRate + accountant->delta(Epsilon(epsilon)));
  EXPECT_NEAR(found.true_positive_rate, least, 3e-3 * least);
  const AttackBounds once = of({Event::poisson_sampled(0.02, {Event::gaussian(1.2)})});
  const AttackBounds whole = of({Event::gaussian(1.2)});
  EXPECT_LT(once.true_positive_rate, found.true_positive_rate);
  EXPECT_NEAR(once.advantage, 0.02 * whole.advantage, 1e-4);
  EXPECT_LT(once.true_positive_rate, kFalsePositiveRate + once.advantage + 1e-9);
}

TEST(AttackBounds, WhereNoLossDistributionIsKnownTheyAreLargerAndHold) {
  const AttackBounds gaussian = of({Event::gaussian(3)});
  const AttackBounds any = of({Event::zcdp(1 / 18.0)});
  EXPECT_GE(any.true_positive_rate, gaussian.true_positive_rate);
  EXPECT_GE(any.advantage, gaussian.advantage);
  EXPECT_LT(any.advantage, 1);
}

TEST(AttackBounds, OfNothingAndOfEverything) {
  const AttackBounds nothing = of({});
  EXPECT_NEAR(nothing.true_positive_rate, kFalsePositiveRate, 1e-9);
  EXPECT_NEAR(nothing.advantage, 0, 1e-9);
  const AttackBounds everything = of({Event::gaussian(0.01)});
  EXPECT_LE(everything.true_positive_rate, 1);
  EXPECT_NEAR(everything.advantage, 1, 1e-6);
}

}  // namespace equinoise::attack_bounds_test
