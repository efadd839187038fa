// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// How far apart the groups of each grouping may be in one metric: the largest difference, or the
/// smallest ratio.
struct GroupLimit {
  std::string metric;  ///< a name of metric_rows(); of a ratio that of a rate
  double limit = 0;
  std::string of_class = {};  ///< of several classes: the one that a rate is of; "": each of them
};

/// The limits of an audit, each for every grouping.
struct AuditLimits {
  std::vector<GroupLimit> disparities;
  std::vector<GroupLimit> ratios;
};

/// "accuracy=0.1", "selection_rate:gold=0.8"; a class may stand in quotes. `example`:
/// "accuracy=0.1". Errors: kUsage, naming the flag.
GroupLimit parse_limit(const std::string& text, std::string_view flag, std::string_view example);

/// Errors (kUsage): an unknown metric, a metric that is no rate for a ratio, a limit that is not
/// finite and >= 0, or not above 0 and at most 1, one that is given twice, limits without groups.
void check_limits(const AuditLimits& limits, bool has_groups);

/// Refuses limits on what a target of these classes, none for a number, never has. Errors: kUsage.
void check_limits_fit(const AuditLimits& limits, const std::string& target,
                      const std::vector<std::string>& classes);

/// The class of a target that `text` names, its label or code; "" for "". Errors: kUsage unless it
/// names one.
std::string find_favourable(const std::string& text, const ColumnSchema& target);

/// Warns of what may be about another class than a reader thinks: ratios of selection rates where
/// nobody said which class is favourable, of which the four-fifths rule is, and scores that order
/// records worse than chance, by the interval of their area under the curve.
std::vector<std::string> class_warnings(const AuditLimits& limits, const AuditReport& report);

/// Judges a grouping by all limits and adds the verdicts to the report, whose overall metrics and
/// classes are known. A ratio of selection rates is of the favourable class if that is known and
/// the limit names no other.
void add_verdicts(const AuditLimits& limits, const AuditGrouping& grouping, AuditReport& report);

}  // namespace equinoise
