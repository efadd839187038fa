// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "equinoise/audit/goodness_of_fit.h"

namespace equinoise::testing {

/// The Kolmogorov-Smirnov test: the largest distance of the empirical distribution function of
/// `sorted` (ascending, not empty) from the continuous `distribution`. The critical value
/// sqrt(log(2 / significance) / (2 n)) is valid for every n [Massart1990].
inline GoodnessOfFit kolmogorov_smirnov_fit(std::span<const double> sorted,
                                            const std::function<double(double)>& distribution,
                                            double significance) {
  const auto n = static_cast<double>(sorted.size());
  GoodnessOfFit fit;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double expected = distribution(sorted[i]);
    fit.statistic = std::max({fit.statistic, std::fabs(expected - static_cast<double>(i) / n),
                              std::fabs(expected - static_cast<double>(i + 1) / n)});
  }
  fit.critical = std::sqrt(std::log(2 / significance) / (2 * n));
  return fit;
}

}  // namespace equinoise::testing
