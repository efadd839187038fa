// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/disparity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "equinoise/audit/extremes.h"
#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"

namespace equinoise {

namespace {

constexpr bool any_target(size_t /*num_classes*/) { return true; }
constexpr bool classes(size_t num_classes) { return num_classes > 0; }
constexpr bool two_classes(size_t num_classes) { return num_classes == 2; }
constexpr bool number(size_t num_classes) { return num_classes == 0; }

constexpr std::array kRows = {
    MetricRow{"accuracy", &Metrics::accuracy, classes, true},
    MetricRow{"error", &Metrics::error, classes, true},
    MetricRow{"selection_rate", &Metrics::selection_rate, two_classes, true, true},
    MetricRow{"true_positive_rate", &Metrics::true_positive_rate, two_classes, true, true},
    MetricRow{"false_positive_rate", &Metrics::false_positive_rate, two_classes, true, true},
    MetricRow{"false_negative_rate", &Metrics::false_negative_rate, two_classes, true, true},
    MetricRow{"precision", &Metrics::precision, two_classes, true, true},
    MetricRow{"auc", &Metrics::auc, two_classes, false, true},
    MetricRow{"calibration_gap", &Metrics::calibration_gap, two_classes, false, true, true},
    MetricRow{"loss", &Metrics::loss, any_target},
    MetricRow{"rmse", &Metrics::rmse, number},
    MetricRow{"mean_squared_error", &Metrics::mean_squared_error, number},
    MetricRow{"mean_absolute_error", &Metrics::mean_absolute_error, number},
    MetricRow{"mean_error", &Metrics::mean_error, number, false, false, true},
    MetricRow{"r_squared", &Metrics::r_squared, number},
};

/// The smaller over the larger.
double ratio(double a, double b) {
  if (!(a >= 0 && b >= 0)) return Disparity::kUndefined;
  return std::min(a, b) / std::max(a, b);
}

}  // namespace

std::span<const MetricRow> metric_rows() { return kRows; }

Estimate difference(const Estimate& first, const Estimate& second) {
  const double value = first.value - second.value;
  return {
      value,
      {value - std::hypot(first.value - first.interval.low, second.interval.high - second.value),
       value + std::hypot(first.interval.high - first.value, second.value - second.interval.low)}};
}

const MetricRow& find_metric(std::string_view name) {
  return find_row(kRows, "audit.disparity", "metric", name, "");
}

Disparity disparity_in(const MetricRow& metric, std::span<const Metrics> groups,
                       const Metrics& overall) {
  std::vector<Estimate> estimates;
  estimates.reserve(groups.size());
  for (const Metrics& group : groups) estimates.push_back(group.*metric.estimate);
  const double whole = (overall.*metric.estimate).value;
  Disparity result;
  result.metric = metric.name;
  for (size_t group = 0; group < groups.size(); ++group) {
    const double value = estimates[group].value;
    if (!std::isfinite(value)) {
      result.left_out.push_back(group);
      continue;
    }
    // fmax and fmin ignore an argument that is NaN.
    result.difference_to_overall =
        std::fmax(result.difference_to_overall, std::fabs(value - whole));
    result.ratio_to_overall = std::fmin(result.ratio_to_overall, ratio(value, whole));
  }
  const Extremes extremes = extremes_of(estimates);
  result.lowest = extremes.lowest;
  result.highest = extremes.highest;
  const size_t num_known = groups.size() - result.left_out.size();
  if (num_known == 0 || (num_known == 1 && groups.size() > 1)) {
    result.difference_to_overall = result.ratio_to_overall = Disparity::kUndefined;
    return result;
  }
  const Estimate& lowest = estimates[result.lowest];
  const Estimate& highest = estimates[result.highest];
  result.difference_between_groups = difference(highest, lowest);
  result.ratio_between_groups = ratio(lowest.value, highest.value);
  if (lowest.value < 0 || metric.is_signed)
    result.ratio_between_groups = result.ratio_to_overall = Disparity::kUndefined;
  return result;
}

std::vector<Disparity> disparities(std::span<const Metrics> groups, const Metrics& overall,
                                   size_t num_classes) {
  std::vector<Disparity> all;
  if (groups.size() < 2) return all;
  for (const MetricRow& metric : kRows)
    if (metric.fits(num_classes)) all.push_back(disparity_in(metric, groups, overall));
  return all;
}

std::vector<Metrics> class_metrics(std::span<const Metrics> groups, size_t class_index) {
  std::vector<Metrics> result;
  result.reserve(groups.size());
  for (const Metrics& group : groups) result.push_back(class_metrics(group, class_index));
  return result;
}

std::vector<Disparity> class_disparities(std::span<const Metrics> groups, const Metrics& overall,
                                         size_t class_index) {
  std::vector<Disparity> all;
  if (groups.size() < 2) return all;
  const std::vector<Metrics> of_class = class_metrics(groups, class_index);
  const Metrics everybody = class_metrics(overall, class_index);
  for (const MetricRow& metric : kRows)
    if (metric.of_classes) all.push_back(disparity_in(metric, of_class, everybody));
  return all;
}

CostGap cost_gap(std::span<const Cost> groups, Estimate Cost::*cost) {
  CostGap result;
  std::vector<Estimate> estimates(groups.size());
  bool are_known = true;
  for (size_t group = 0; group < groups.size(); ++group) {
    if (groups[group].num_records == 0) {
      result.left_out.push_back(group);
      continue;
    }
    estimates[group] = groups[group].*cost;
    are_known = are_known && std::isfinite(estimates[group].value);
  }
  if (!are_known || groups.size() < result.left_out.size() + 2) return result;
  const auto [lowest, highest] = extremes_of(estimates);
  result.lowest = lowest;
  result.highest = highest;
  result.gap = difference(estimates[highest], estimates[lowest]);
  return result;
}

}  // namespace equinoise
