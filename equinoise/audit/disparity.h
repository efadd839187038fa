// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// One metric by name, for tables and thresholds.
struct MetricRow {
  std::string_view name;  ///< "accuracy", "true_positive_rate"
  Estimate Metrics::*estimate;
  /// Returns whether the metric applies to a target with that many classes, 0 for a numeric one.
  bool (*fits)(size_t num_classes);
  bool is_rate = false;     ///< a share of some records (Estimate::num_effective)
  bool of_classes = false;  ///< of the positive class, and so of each class if there are several
  bool is_signed = false;   ///< the best value is 0, and figures may lie on either side
};

std::span<const MetricRow> metric_rows();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const MetricRow& find_metric(std::string_view name);

/// The differences between the groups of one grouping in one metric. Groups without the metric,
/// because they have no records to count or some records have no prediction, are left out.
/// Undefined figures are NaN, such as differences and ratios if fewer than two of several groups
/// are left. The names are those of fairlearn. Indices are into the list of groups.
struct Disparity {
  std::string_view metric;
  size_t lowest = 0;  ///< of the groups that have it, as `highest`; see extremes_of for ties
  size_t highest = 0;
  std::vector<size_t> left_out;
  /// highest - lowest, with the interval for these two groups as independent samples, made from
  /// their two intervals: for proportions [Newcombe1998, method 10], for means the half widths in
  /// quadrature. It does not allow for the choice of the two groups as the extremes.
  Estimate difference_between_groups;
  double difference_to_overall = kUndefined;  ///< largest |group - overall|
  /// lowest / highest. Ratios are undefined if both sides are 0 or one is negative, and for signed
  /// figures, where a ratio near 0 is meaningless.
  double ratio_between_groups = kUndefined;
  double ratio_to_overall = kUndefined;  ///< least of group / overall, inverted if above 1

  bool is_defined() const { return !std::isnan(difference_between_groups.value); }

  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
};

/// One metric.
Disparity disparity_in(const MetricRow& metric, std::span<const Metrics> groups,
                       const Metrics& overall);

/// One entry for every metric of a target with that many classes, 0 for a numeric one. Empty for
/// fewer than two groups.
std::vector<Disparity> disparities(std::span<const Metrics> groups, const Metrics& overall,
                                   size_t num_classes);

/// The metrics of one class of several, it against the rest; (num_groups) likewise. See
/// class_metrics.
std::vector<Metrics> class_metrics(std::span<const Metrics> groups, size_t class_index);

/// One entry for every figure of one class of several. Empty for fewer than two groups.
std::vector<Disparity> class_disparities(std::span<const Metrics> groups, const Metrics& overall,
                                         size_t class_index);

/// first - second of independent samples. Each end of the interval is as far from the difference as
/// the two ends that make it are from their estimates, in quadrature.
Estimate difference(const Estimate& first, const Estimate& second);

/// The inequality of groups' costs of privacy. Groups without records are left out. The gap is NaN
/// if fewer than two groups have records, or if a group with records has no finite cost: the group
/// that loses most is then unknown.
struct CostGap {
  size_t lowest = 0;             ///< the group that loses least; see extremes_of for ties
  size_t highest = 0;            ///< and the one that loses most
  std::vector<size_t> left_out;  ///< groups without a cost
  Estimate gap;                  ///< highest - lowest, as in Disparity
};

/// The gap of one of the two costs.
CostGap cost_gap(std::span<const Cost> groups, Estimate Cost::*cost);

}  // namespace equinoise
