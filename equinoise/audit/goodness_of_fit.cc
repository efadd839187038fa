// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/goodness_of_fit.h"

#include <boost/math/distributions/chi_squared.hpp>
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
      throw Error(ErrorKind::kUsage, kWhere, "cell {} expects {:.3g} counts, chi-square needs {}",
                  i, expected, kMinExpected);
    }
    fit.statistic += (observed[i] - expected) * (observed[i] - expected) / expected;
  }
  const boost::math::chi_squared distribution(static_cast<double>(observed.size() - 1));
  fit.critical = boost::math::quantile(boost::math::complement(distribution, significance));
  return fit;
}

}  // namespace equinoise
