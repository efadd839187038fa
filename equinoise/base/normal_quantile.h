// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise {

/// Of 97.5 %: how many standard deviations a 95 % interval goes to either side.
inline constexpr double kNormalQuantile = 1.959963984540054;

}  // namespace equinoise
