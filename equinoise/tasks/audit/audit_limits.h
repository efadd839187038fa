// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// The groups of each grouping may differ by so much in one metric.
struct DisparityLimit {
  std::string metric;  ///< a name of metric_rows()
  double max_disparity = 0;
  std::string of_class = {};  ///< of several classes: the one that a rate is of; "": each of them
};

/// Of any two groups of each grouping the lower rate must be at least this share of the higher one.
struct RatioLimit {
  std::string metric;  ///< a rate of metric_rows()
  double min_ratio = 0;
  std::string of_class = {};  ///< as of DisparityLimit
};

/// The limits of an audit, each for every grouping.
struct AuditLimits {
  std::vector<DisparityLimit> disparities;
  std::vector<RatioLimit> ratios;
};

/// Errors (kUsage): an unknown metric, a metric that is no rate for a ratio, a limit that is not
/// finite and >= 0, or not above 0 and at most 1, one that is given twice, limits without groups.
void check_limits(const AuditLimits& limits, bool has_groups);

/// Refuses limits on what a target of these classes, none for a number, never has. Errors: kUsage.
void check_limits_fit(const AuditLimits& limits, const std::string& target,
                      const std::vector<std::string>& classes);

/// Judges a grouping by all limits and adds the verdicts to the report, whose overall metrics and
/// classes are known.
void add_verdicts(const AuditLimits& limits, const AuditGrouping& grouping, AuditReport& report);

/// Throws a threshold error that says which limits of the report do not hold, and by how much, and
/// which are unclear or not answerable. Its message is not private.
void require_limits(const AuditReport& report);

}  // namespace equinoise
