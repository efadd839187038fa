// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "equinoise/base/rounding.h"

namespace equinoise {

/// The epsilon at `delta` > 0 of a mechanism with the Renyi divergence `divergence` of order
/// `order`. [CanonneKamathSteinke2020, Prop. 12]
inline double renyi_epsilon(double order, double divergence, double delta) {
  return divergence + std::log1p(-1 / order) - std::log(delta * order) / (order - 1);
}

/// The smallest delta at `epsilon` over orders and their divergences, rounded up; 1 if none is
/// below it. [CanonneKamathSteinke2020, Prop. 12]
inline double renyi_delta(const std::vector<double>& orders, const std::vector<double>& divergences,
                          double epsilon) {
  double least = 1;
  for (size_t i = 0; i < orders.size(); ++i) {
    const double order = orders[i];
    const double gap = divergences[i] - epsilon + std::log1p(-1 / order);
    const double log_delta = (order - 1) * gap - std::log(order);
    if (!(log_delta < 0)) continue;
    const double rounding = 1e-15 * (order * (divergences[i] + epsilon + 1) + 8);
    least = std::min(least, round_up(std::exp(log_delta + rounding), 1e-15));
  }
  return least;
}

}  // namespace equinoise
