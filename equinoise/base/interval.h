// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise {

/// A two-sided confidence interval, at 95 % unless stated otherwise.
struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace equinoise
