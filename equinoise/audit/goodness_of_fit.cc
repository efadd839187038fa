// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/goodness_of_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "audit.goodness_of_fit";

}  // namespace

GoodnessOfFit chi_square_fit(std::span<const double> observed,
                             std::span<const double> probabilities, double significance) {
  constexpr double kMinExpected = 20;
  check_open_interval(kWhere, "significance", significance, 0, 1);
  if (observed.size() != probabilities.size() || observed.size() < 2) {
    throw Error(ErrorKind::kUsage, kWhere, "counts and probabilities must have the same cells");
  }
  const double count = std::accumulate(observed.begin(), observed.end(), 0.0);
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  GoodnessOfFit fit;
  for (size_t i = 0; i < observed.size(); ++i) {
    const double expected = probabilities[i] / total * count;
    if (!(expected >= kMinExpected)) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("cell {} expects {:.3g} counts, chi-square needs {}", i, expected,
                              kMinExpected));
    }
    fit.statistic += (observed[i] - expected) * (observed[i] - expected) / expected;
  }
  const boost::math::chi_squared distribution(static_cast<double>(observed.size() - 1));
  fit.critical = boost::math::quantile(boost::math::complement(distribution, significance));
  return fit;
}

GoodnessOfFit kolmogorov_smirnov_fit(std::span<const double> sorted,
                                     const std::function<double(double)>& distribution,
                                     double significance) {
  check_open_interval(kWhere, "significance", significance, 0, 1);
  if (sorted.empty()) throw Error(ErrorKind::kUsage, kWhere, "the sample is empty");
  const auto n = static_cast<double>(sorted.size());
  GoodnessOfFit fit;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double expected = distribution(sorted[i]);
    if (!(expected >= 0 && expected <= 1)) {
      throw Error(ErrorKind::kUsage, kWhere, "the distribution must be within [0, 1]");
    }
    fit.statistic = std::max({fit.statistic, std::fabs(expected - static_cast<double>(i) / n),
                              std::fabs(expected - static_cast<double>(i + 1) / n)});
  }
  fit.critical = std::sqrt(std::log(2 / significance) / (2 * n));
  return fit;
}

}  // namespace equinoise
