// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/conversion.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/rounding.h"

namespace equinoise {

double renyi_epsilon(double order, double divergence, double delta) {
  return divergence + std::log1p(-1 / order) - std::log(delta * order) / (order - 1);
}

double renyi_delta(const std::vector<double>& orders, const std::vector<double>& divergences,
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
