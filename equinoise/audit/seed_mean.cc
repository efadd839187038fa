// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/seed_mean.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "equinoise/base/check.h"

namespace equinoise {

Estimate mean_over_seeds(std::span<const double> values, double confidence) {
  check_open_interval("audit.seed_mean", "confidence", confidence, 0, 1);
  Estimate estimate;
  if (values.empty()) return estimate;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  estimate.value = mean;
  if (values.size() < 2 || !std::isfinite(mean)) return estimate;
  double squares = 0;
  double largest = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
    largest = std::max(largest, std::fabs(value));
  }
  const double stddev = std::sqrt(squares / (count - 1));
  // Sums of a few numbers are rounded by less than this.
  if (!(stddev > 1e-12 * largest)) return estimate;
  const boost::math::students_t distribution(count - 1);
  const double half =
      boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2)) * stddev /
      std::sqrt(count);
  estimate.interval = {mean - half, mean + half};
  return estimate;
}

}  // namespace equinoise
