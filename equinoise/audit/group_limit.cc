// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/group_limit.h"

#include <cmath>

#include "equinoise/audit/extremes.h"
#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr double kJointConfidence = 0.95;

/// The interval of first / second. Its ends are the ratios c at which an interval of the difference
/// first - c * second begins or ends at 0. Each end of that interval combines the distances of the
/// two ends that make it in quadrature. Negative roundings are 0.
Interval ratio_interval(const Estimate& first, const Estimate& second) {
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

/// A check before its interval and verdict, with the figures that these need.
struct Compared {
  GroupCheck check;
  std::vector<Estimate> known;  ///< (num_known), their intervals still each at 95 %
  double confidence = 0;        ///< of each pair, for all of them together; 0: there is none
  bool any_is_unknown = false;  ///< a group that has records lacks the figure

  void judge(double limit, LimitSide side) {
    const LimitVerdict found = verdict_of(check.interval, limit, side);
    if (found == LimitVerdict::kFails || !any_is_unknown) check.verdict = found;
  }
};

/// Collects the groups' figures.
Compared compare(const MetricRow& metric, std::span<const Metrics> groups) {
  Compared compared;
  GroupCheck& check = compared.check;
  std::vector<Estimate> estimates;
  for (size_t group = 0; group < groups.size(); ++group) {
    estimates.push_back(groups[group].*metric.estimate);
    if (std::isfinite(estimates.back().value)) {
      compared.known.push_back(estimates.back());
    } else {
      check.left_out.push_back(group);
      compared.any_is_unknown = compared.any_is_unknown || groups[group].num_records > 0;
    }
  }
  check.num_known = compared.known.size();
  if (check.num_known < 2) return compared;
  const auto [lowest, highest] = extremes_of(estimates);
  check.lowest = lowest;
  check.highest = highest;
  const auto num_known = static_cast<double>(check.num_known);
  compared.confidence = 1 - (1 - kJointConfidence) / (num_known * (num_known - 1) / 2);
  return compared;
}

/// Calls `add` with each ordered pair of two different groups.
template <typename Add>
void for_each_pair(const std::vector<Estimate>& groups, const Add& add) {
  for (size_t a = 0; a < groups.size(); ++a)
    for (size_t b = 0; b < groups.size(); ++b)
      if (a != b) add(groups[a], groups[b]);
}

}  // namespace

GroupCheck check_difference(const MetricRow& metric, std::span<const Metrics> groups,
                            double max_difference) {
  Compared compared = compare(metric, groups);
  GroupCheck& check = compared.check;
  if (compared.confidence == 0) return check;
  check.value = (groups[check.highest].*metric.estimate).value -
                (groups[check.lowest].*metric.estimate).value;
  for (Estimate& known : compared.known) known.interval = interval_at(known, compared.confidence);
  check.interval = {0, 0};
  for_each_pair(compared.known, [&](const Estimate& first, const Estimate& second) {
    const Interval found = difference(first, second).interval;
    check.interval.low = std::fmax(check.interval.low, found.low);
    // An unknown interval leaves the largest one open: NaN stays.
    if (std::isnan(found.high) || found.high > check.interval.high)
      check.interval.high = found.high;
  });
  compared.judge(max_difference, LimitSide::kAtMost);
  return check;
}

GroupCheck check_ratio(const MetricRow& metric, std::span<const Metrics> groups, double min_ratio) {
  constexpr std::string_view kWhere = "audit.group_limit";
  if (!metric.is_rate) {
    throw Error(ErrorKind::kUsage, kWhere, "{} is no rate; ratios are limited for rates only",
                metric.name);
  }
  if (!(min_ratio > 0 && min_ratio <= 1)) {
    throw Error(ErrorKind::kUsage, kWhere, "min_ratio of {} must be above 0 and at most 1, got {}",
                metric.name, min_ratio);
  }
  Compared compared = compare(metric, groups);
  GroupCheck& check = compared.check;
  if (compared.confidence == 0) return check;
  const double highest = (groups[check.highest].*metric.estimate).value;
  if (highest == 0) return check;
  check.value = (groups[check.lowest].*metric.estimate).value / highest;
  for (Estimate& known : compared.known)
    known.interval = known.num_effective > 0
                         ? beta_interval(known.value, known.num_effective, compared.confidence)
                         : interval_at(known, compared.confidence);
  check.interval = {1, 1};
  for_each_pair(compared.known, [&](const Estimate& first, const Estimate& second) {
    const Interval found = ratio_interval(first, second);
    check.interval.low = std::fmin(check.interval.low, found.low);
    check.interval.high = std::fmin(check.interval.high, found.high);
  });
  compared.judge(min_ratio, LimitSide::kAtLeast);
  return check;
}

}  // namespace equinoise
