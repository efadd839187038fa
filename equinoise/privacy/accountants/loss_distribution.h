// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/privacy/accountants/privacy_profile.h"

namespace equinoise {

/// A privacy loss distribution on a grid: P's mass at the losses positions * grid, and at infinity.
/// It represents the profile infinite_mass + sum over losses l > epsilon of mass
/// (1 - e^(epsilon - l)). The masses may add up to slightly more than 1.
struct LossDistribution {
  double grid = 0;
  std::vector<int64_t> positions;  ///< ascending
  std::vector<double> mass;        ///< (positions)
  double infinite_mass = 0;

  double loss(size_t i) const { return static_cast<double>(positions[i]) * grid; }
};

/// The largest number of losses that a distribution may have.
inline constexpr int64_t kMaxLosses = int64_t{1} << 22;

/// Connects the dots: returns the distribution whose profile is linear in e^epsilon between its
/// losses and nowhere below `profile`, rounding errors included. Losses with less mass than `tail`
/// go to infinity at the upper end and to the lowest position at the lower end. Gaps between
/// positions are 1, or up to `share` of the distance from 0.
/// [DoroshenkoGhaziKamathKumarManurangsi2022, Sec. 4] Errors: kUsage if the range of losses needs
/// more than kMaxLosses positions.
LossDistribution discretise(const PrivacyProfile& profile, double grid, double tail,
                            double share = 0);

/// The interval of losses beyond which `profile` has less mass than `tail` on either side.
struct LossRange {
  double low;
  double high;
};
LossRange loss_range(const PrivacyProfile& profile, double tail);

/// The standard deviation of the finite losses.
double loss_stddev(const LossDistribution& distribution);

/// The distribution of the sum of independent losses of both, by direct summation: for the few
/// mechanisms of one batch. The grids must be equal. Errors: kUsage as above.
LossDistribution convolve(const LossDistribution& a, const LossDistribution& b);

}  // namespace equinoise
