// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/ratio_check.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/audit/extremes.h"
#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr double kRatioConfidence = 0.95;

/// A rate of one group.
struct GroupRate {
  double value = 0;
  Interval interval;
};

/// The interval of first / second. Its ends are the ratios c at which an interval of the difference
/// first - c * second, each end by the distances of the two ends that make it in quadrature,
/// begins or ends at 0. What is negative by rounding is 0.
Interval ratio_interval(const GroupRate& first, const GroupRate& second) {
  const double product = first.value * second.value;
  const auto discriminant = [&](double square, double constant) {
    return std::sqrt(std::fmax(0, product * product - square * constant));
  };
  const auto end = [](double value, double bound) { return bound * (2 * value - bound); };
  const double low_square = end(second.value, second.interval.high);
  const double low_constant = end(first.value, first.interval.low);
  const double low_divisor = product + discriminant(low_square, low_constant);
  const double high_square = end(second.value, second.interval.low);
  const double high_constant = end(first.value, first.interval.high);
  return {low_divisor > 0 ? std::fmax(0, low_constant / low_divisor) : 0,
          high_square > 0 ? (product + discriminant(high_square, high_constant)) / high_square
                          : std::numeric_limits<double>::infinity()};
}

/// The interval of the smallest ratio of any two of `rates`, at least two, at 95 % for all pairs
/// together. The smallest one is at most 1.
Interval smallest_ratio(const std::vector<GroupRate>& rates) {
  Interval smallest{1, 1};
  for (size_t a = 0; a < rates.size(); ++a) {
    for (size_t b = 0; b < rates.size(); ++b) {
      if (a == b) continue;
      const Interval ratio = ratio_interval(rates[a], rates[b]);
      smallest.low = std::fmin(smallest.low, ratio.low);
      smallest.high = std::fmin(smallest.high, ratio.high);
    }
  }
  return smallest;
}

}  // namespace

RatioCheck check_ratio(const MetricRow& metric, std::span<const Metrics> groups, double min_ratio) {
  constexpr std::string_view kWhere = "audit.ratio_check";
  if (!metric.is_rate) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{} is no rate; ratios are limited for rates only", metric.name));
  }
  if (!(min_ratio > 0 && min_ratio <= 1)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("min_ratio of {} must be above 0 and at most 1, got {}", metric.name,
                            min_ratio));
  }
  RatioCheck check;
  std::vector<Estimate> estimates;
  std::vector<size_t> known;
  bool any_is_unknown = false;
  for (size_t group = 0; group < groups.size(); ++group) {
    estimates.push_back(groups[group].*metric.estimate);
    if (std::isfinite(estimates.back().value)) {
      known.push_back(group);
    } else {
      check.left_out.push_back(group);
      any_is_unknown = any_is_unknown || groups[group].num_records > 0;
    }
  }
  check.num_known = known.size();
  if (known.size() < 2) return check;
  const auto [lowest, highest] = extremes_of(estimates);
  check.lowest = lowest;
  check.highest = highest;
  if (estimates[highest].value == 0) return check;
  check.value = estimates[lowest].value / estimates[highest].value;

  const auto num_known = static_cast<double>(known.size());
  const double confidence = 1 - (1 - kRatioConfidence) / (num_known * (num_known - 1) / 2);
  std::vector<GroupRate> rates;
  for (const size_t group : known) {
    const Estimate& rate = estimates[group];
    // Of a rare rate the score interval begins too high after a single success.
    rates.push_back({rate.value, beta_interval(rate.value, rate.num_effective, confidence)});
  }
  check.interval = smallest_ratio(rates);
  if (check.interval.high < min_ratio) {
    check.verdict = LimitVerdict::kFails;
  } else if (!any_is_unknown) {
    check.verdict = check.interval.low >= min_ratio ? LimitVerdict::kHolds : LimitVerdict::kUnclear;
  }
  return check;
}

}  // namespace equinoise
