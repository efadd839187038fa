// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/composed_loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::composed_loss_test {

ComposedLoss compose(const ProfilePointer& profile, double count, double grid) {
  return ComposedLoss({{discretise(*profile, grid, 1e-25), count}});
}

TEST(ComposedLoss, GaussiansComposeToTheExactGaussianHoweverSmallDeltaIs) {
  for (double count : {2.0, 50.0, 1000.0, 3e4}) {
    for (double noise : {0.5, 5.0}) {
      const ComposedLoss sum = compose(gaussian_profile(noise * std::sqrt(count)), count,
                                       0.02 / (noise * std::sqrt(count)));
      const ProfilePointer exact = gaussian_profile(noise);
      for (double delta : {0.3, 1e-3, 1e-6, 1e-10, 1e-14, 1e-18}) {
        const double epsilon = sum.epsilon(delta);
        if (epsilon > 0) {
          EXPECT_LE(exact->delta(epsilon), delta) << count << " " << noise;
          EXPECT_GE(exact->delta(epsilon / 1.002), delta) << count << " " << noise << " " << delta;
        } else {
          EXPECT_LE(exact->delta(0), delta);
        }
      }
      for (double epsilon : {0.0, 0.1, 1.0, 5.0}) {
        const double want = exact->delta(epsilon);
        if (want < 1e-18) continue;
        EXPECT_GE(sum.delta(epsilon), want);
        EXPECT_LE(sum.delta(epsilon), want * 1.02 + 1e-20) << count << " " << noise << epsilon;
      }
    }
  }
}

/// k runs of randomised response with loss e: the number of likely outcomes is binomial.
double exact_randomised_response(double e, int k, double epsilon) {
  const double likely = 1 / (1 + std::exp(-e));
  double delta = 0;
  for (int i = 0; i <= k; ++i) {
    const double loss = e * (2 * i - k);
    if (loss <= epsilon) continue;
    const double log_mass = std::lgamma(k + 1) - std::lgamma(i + 1) - std::lgamma(k - i + 1) +
                            i * std::log(likely) + (k - i) * std::log1p(-likely);
    delta -= std::exp(log_mass) * std::expm1(epsilon - loss);
  }
  return delta;
}

TEST(ComposedLoss, PointMassesOnTheGridComposeExactly) {
  for (int count : {2, 10, 100, 1000}) {
    const double e = 0.1;
    const ComposedLoss sum = compose(approx_dp_profile(e, 0), count, e / 20 * (1 + 1e-14));
    for (double delta : {1e-2, 1e-6, 1e-12}) {
      const double epsilon = sum.epsilon(delta);
      EXPECT_LE(exact_randomised_response(e, count, epsilon), delta * (1 + 1e-9));
      EXPECT_GE(exact_randomised_response(e, count, epsilon * 0.999 - 1e-9), delta * (1 - 1e-9));
    }
  }
}

TEST(ComposedLoss, InfiniteMassAddsUp) {
  const ComposedLoss sum = compose(approx_dp_profile(0.1, 1e-7), 10, 0.01);
  EXPECT_TRUE(std::isinf(sum.epsilon(9.9e-7)));
  EXPECT_LE(sum.epsilon(1.1e-6), 1.0001);
  EXPECT_GE(sum.delta(5), 1e-6 * (1 - 1e-6));
  EXPECT_LE(sum.delta(5), 1.001e-6);
}

TEST(ComposedLoss, EpsilonAndDeltaAreInverse) {
  const ComposedLoss sum =
      compose(poisson_removed_profile(0.01, gaussian_profile(0.8)), 1000, 2e-3);
  for (double delta : {0.1, 1e-4, 1e-8}) {
    const double epsilon = sum.epsilon(delta);
    EXPECT_NEAR(sum.delta(epsilon) / delta, 1, 1e-3);
  }
}

/// Rare large losses: Chernoff's bound is too large by a factor of 4 here, and a tilt that follows
/// it would miss the answer.
TEST(ComposedLoss, FindsItsWayWithAHeavyTail) {
  const ComposedLoss sum = compose(poisson_removed_profile(0.001, gaussian_profile(1)), 100, 5e-5);
  const double epsilon = sum.epsilon(1e-9);
  EXPECT_GT(epsilon, 0.2811);
  EXPECT_LT(epsilon, 0.2825);
}

TEST(ComposedLoss, SeveralComponentsAreIndependentAndWithoutOrder) {
  const LossDistribution a = discretise(*gaussian_profile(3), 1e-3, 1e-20);
  const LossDistribution b = discretise(*gaussian_profile(4), 1e-3, 1e-20);
  const ProfilePointer exact = gaussian_profile(1 / std::sqrt(5 / 9.0 + 7 / 16.0));
  const double epsilon = ComposedLoss({{a, 5}, {b, 7}}).epsilon(1e-6);
  EXPECT_LE(exact->delta(epsilon), 1e-6);
  EXPECT_GE(exact->delta(epsilon * 0.998), 1e-6);
  EXPECT_NEAR(ComposedLoss({{b, 7}, {a, 5}}).epsilon(1e-6), epsilon, 1e-9);
}

}  // namespace equinoise::composed_loss_test
