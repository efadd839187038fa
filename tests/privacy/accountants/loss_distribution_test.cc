// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/loss_distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/base/error.h"

namespace equinoise::loss_distribution_test {

double profile_of(const LossDistribution& distribution, double epsilon) {
  double delta = distribution.infinite_mass;
  for (size_t i = 0; i < distribution.mass.size(); ++i) {
    if (distribution.loss(i) > epsilon) {
      delta -= distribution.mass[i] * std::expm1(epsilon - distribution.loss(i));
    }
  }
  return delta;
}

std::vector<ProfilePointer> profiles() {
  const ProfilePointer gaussian = gaussian_profile(1);
  return {gaussian,
          gaussian_profile(0.2),
          laplace_profile(0.5),
          laplace_gaussian_profile(1, 2),
          bounded_range_profile(0.4),
          approx_dp_profile(1, 1e-3),
          discrete_gaussian_profile(2, 1),
          discrete_laplace_profile(0.3, 2),
          poisson_removed_profile(0.01, gaussian),
          poisson_added_profile(0.01, gaussian),
          poisson_removed_profile(1e-4, gaussian_profile(0.4)),
          poisson_replaced_gaussian_profile(0.05, 1),
          fixed_size_profile(0.02, gaussian)};
}

/// With all losses of a grid and with some, of one that is fine.
TEST(LossDistribution, LiesNowhereBelowTheProfileAndNotFarAbove) {
  for (const ProfilePointer& profile : profiles()) {
    const LossRange range = loss_range(*profile, 1e-12);
    for (const double share : {0.0, 1.0 / 256}) {
      const double grid = (range.high - range.low) / (share > 0 ? 2e6 : 5000);
      const LossDistribution distribution = discretise(*profile, grid, 1e-12, share);
      EXPECT_LE(distribution.mass.size(), 15'000);
      for (double mass : distribution.mass) ASSERT_GE(mass, 0);
      for (int i = -20; i <= 420; ++i) {
        const double epsilon = range.low + (range.high - range.low) * i / 400.7;
        const double delta = profile->delta(epsilon);
        const double rounded = profile_of(distribution, epsilon);
        ASSERT_GE(rounded, delta * (1 - 1e-12)) << epsilon;
        // It falls from dot to dot.
        const auto position = static_cast<int64_t>(std::floor(epsilon / grid));
        const auto above = std::ranges::upper_bound(distribution.positions, position);
        if (above == distribution.positions.begin()) continue;
        const double dot = static_cast<double>(*(above - 1)) * grid;
        ASSERT_LE(rounded, profile->delta(dot) * (1 + (share > 0 ? 1e-8 : 3e-9)) + 2e-12)
            << epsilon;
      }
    }
  }
}

/// Losses that next to nothing lies below stay where they are: what is moved up would add up.
TEST(LossDistribution, KeepsTheMeanOfRareBatches) {
  const ProfilePointer profile = poisson_added_profile(1e-6, gaussian_profile(1));
  const LossDistribution distribution = discretise(*profile, 1e-9, 1e-20, 1.0 / 256);
  double mean = 0;
  for (size_t i = 0; i < distribution.mass.size(); ++i) {
    mean += distribution.mass[i] * distribution.loss(i);
  }
  const double variance = 1e-12 * std::expm1(1);
  EXPECT_GE(mean, variance / 2 * (1 - 1e-3));
  EXPECT_LE(mean, variance / 2 + 1e-13);
}

TEST(LossDistribution, HasAllOfTheMass) {
  for (const ProfilePointer& profile : profiles()) {
    const LossDistribution distribution = discretise(*profile, 0.01, 1e-15);
    const double all = std::accumulate(distribution.mass.begin(), distribution.mass.end(),
                                       distribution.infinite_mass);
    EXPECT_GE(all, 1);
    EXPECT_LE(all, 1 + 1e-7);
  }
}

TEST(LossDistribution, KeepsALargestLossThatIsOnTheGrid) {
  const LossDistribution distribution =
      discretise(*laplace_profile(0.5), 2.0 / 100 * (1 + 1e-14), 1e-15);
  EXPECT_EQ(distribution.positions.back(), 100);
  EXPECT_LT(distribution.infinite_mass, 1e-15);
}

TEST(LossDistribution, StddevIsThatOfTheGaussianLoss) {
  EXPECT_NEAR(loss_stddev(discretise(*gaussian_profile(2), 1e-3, 1e-15)), 0.5, 1e-5);
}

TEST(LossDistribution, ConvolutionOfGaussiansIsTheGaussianOfBoth) {
  const LossDistribution part = discretise(*gaussian_profile(2), 2e-3, 1e-15);
  const LossDistribution both = convolve(part, part);
  const ProfilePointer exact = gaussian_profile(2 / std::sqrt(2.0));
  for (double epsilon : {-1.0, 0.0, 0.5, 2.0, 3.5}) {
    const double want = exact->delta(epsilon);
    EXPECT_GE(profile_of(both, epsilon), want * (1 - 1e-12));
    EXPECT_LE(profile_of(both, epsilon), want * (1 + 1e-3));
  }
}

TEST(LossDistribution, RefusesGridsThatWouldNotEnd) {
  EXPECT_THROW(discretise(*gaussian_profile(1), 1e-9, 1e-15), Error);
  EXPECT_THROW(discretise(*gaussian_profile(1e-9), 1e-3, 1e-15), Error);
}

}  // namespace equinoise::loss_distribution_test
