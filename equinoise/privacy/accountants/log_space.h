// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace equinoise {

/// log(exp(a) + exp(b)).
inline double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (std::isinf(high)) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

/// log(exp(a) - 1) for a >= 0.
inline double log_expm1(double a) {
  return a > 30 ? a + std::log1p(-std::exp(-a)) : std::log(std::expm1(a));
}

/// log(1 + exp(a)).
inline double log1p_exp(double a) {
  return a > 30 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a));
}

}  // namespace equinoise
