// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <span>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/check.h"

namespace equinoise {

/// The mean of a figure over several runs that differ only in their seed, with the two-sided
/// interval of Student's t [Student1908] at `confidence`. It covers the mean over all seeds, of
/// splits and of noise alike, on this table; it does not extend to other tables. NaN without
/// values, or if one is NaN: a figure that is undefined in some runs has no mean. There is no
/// interval (NaN) for one value, nor for values that vary by no more than rounding, whose spread
/// does not show the error of their mean. Errors: kUsage unless 0 < confidence < 1.
inline Estimate mean_over_seeds(std::span<const double> values, double confidence = 0.95) {
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
