// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// A limit on differences between the groups of each grouping in one metric: the largest
/// difference, or the smallest ratio.
struct GroupLimit {
  std::string metric;  ///< a name of metric_rows(); for a ratio the name of a rate
  double limit = 0;
  std::string of_class = {};  ///< for several classes: the class of a rate; "": each class
};

/// The limits of an audit, each for every grouping.
struct AuditLimits {
  std::vector<GroupLimit> limits;  ///< on differences
  std::vector<GroupLimit> ratios;  ///< on ratios
};

/// "accuracy=0.1", "selection_rate:gold=0.8"; a class may be in quotes. `example`: "accuracy=0.1".
/// Errors: kUsage, naming the flag.
GroupLimit parse_limit(const std::string& text, std::string_view flag, std::string_view example);

/// Errors (kUsage): an unknown metric; for a ratio a metric that is not a rate; a difference that
/// is not finite and >= 0; a ratio that is not above 0 and at most 1; a limit that is given twice;
/// limits without groups.
void check_limits(const AuditLimits& limits, bool has_groups);

/// Refuses limits on metrics that a target of these classes (none for a number) does not have.
/// Errors: kUsage.
void check_limits_fit(const AuditLimits& limits, const std::string& target,
                      const std::vector<std::string>& classes);

/// The class of a target named by `text`, its label or code; "" for "". Errors: kUsage unless it
/// names one.
std::string find_favourable(const std::string& text, const ColumnSchema& target);

/// Adds warnings about classes that a reader could confuse: ratios of selection rates without a
/// favourable class, to which the four-fifths rule refers; and scores that order records worse than
/// chance, by the interval of their area under the curve.
void add_class_warnings(const AuditLimits& limits, AuditReport& report);

/// Compares a grouping with all limits and adds the verdicts to the report, whose overall metrics
/// and classes are known. A ratio of selection rates is that of the favourable class, if known,
/// unless the limit names another one.
void add_verdicts(const AuditLimits& limits, const AuditGrouping& grouping, AuditReport& report);

}  // namespace equinoise
