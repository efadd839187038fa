// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise {

/// The 97.5 % quantile of the standard normal distribution: a 95 % interval extends by this many
/// standard deviations to either side.
inline constexpr double kNormalQuantile = 1.959963984540054;

}  // namespace equinoise
