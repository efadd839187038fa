// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The groups of an audit, then the overall row. NOT PRIVATE.
TextTable audit_table(const AuditReport& report, const AuditGrouping& grouping);

/// How far apart the groups of an audit are. NOT PRIVATE.
TextTable disparity_table(const AuditGrouping& grouping);

/// The rates of each class of an audit's target for each group, then for everybody. No rows for a
/// target without several classes, or with more than fit a table. NOT PRIVATE.
TextTable class_table(const AuditReport& report, const AuditGrouping& grouping);

/// What the probabilities of each class are worth. No rows without any, or likewise. NOT PRIVATE.
TextTable class_score_table(const AuditReport& report, const AuditGrouping& grouping);

/// How far apart the groups are in these figures. No rows likewise. NOT PRIVATE.
TextTable class_disparity_table(const AuditReport& report, const AuditGrouping& grouping);

/// Whether report.json holds more about single classes than the tables.
std::string left_out_classes(const AuditReport& report, const AuditGrouping& grouping);

/// How the scores of each group order its records and measure them. No rows without scores. NOT
/// PRIVATE.
TextTable score_table(const AuditReport& report, const AuditGrouping& grouping);

/// Predicted probabilities and shares of the positive, bin by bin. No rows without probabilities.
/// NOT PRIVATE.
TextTable calibration_table(const AuditReport& report, const AuditGrouping& grouping);

/// The same for each of several classes; none likewise, or where these are too many for tables.
std::vector<TextTable> class_calibration_tables(const AuditReport& report,
                                                const AuditGrouping& grouping);

/// Why the groups of an audit lose: the effect of a step of training on each one's loss, by causes.
/// NOT PRIVATE.
TextTable explanation_table(const AuditGrouping& grouping);

/// Which step an audit explains, and whether it is so long that the second order is no guide.
std::string explained_line(const AuditGrouping& grouping);

/// Caveats that make these figures no guide, in sentences; often none.
std::vector<std::string> explained_caveats(const AuditGrouping& grouping);

/// The gradients and Hessians of that step. NOT PRIVATE.
TextTable gradient_table(const AuditGrouping& grouping);

/// "accuracy", "selection rate (share of income = >50K)": the figure that a limit is on. A
/// selection rate is always of a named class: of two the favourable one, if that is known, else the
/// positive.
std::string figure_of(const AuditReport& report, const AuditLimit& limit);

/// The limits of an audit and whether they hold. NOT PRIVATE.
TextTable threshold_table(const AuditReport& report);

/// The limits on ratios of an audit and whether they hold. NOT PRIVATE.
TextTable ratio_table(const AuditReport& report);

/// How both tables are to be read.
inline constexpr std::string_view kHowToReadLimits =
    "Differences are of the highest and the lowest group, ratios of the lowest and the highest. "
    "Intervals are for the largest difference, or the smallest ratio, of any two groups. A limit "
    "holds or fails if the whole interval says so, and is unclear otherwise; it is not answerable "
    "if the figure of a group with records is undefined, or if all rates of a ratio are 0.";

/// What the judged predictions are: "in decisions.csv (column approved)".
std::string logged_line(const AuditReport& report);

/// What an audit of logged predictions says in place of a guarantee.
inline constexpr std::string_view kNoGuaranteeKnown =
    "These are exact figures of the table and not private. How the predictions were made is not "
    "known here, so no guarantee is stated for whoever made them.";

/// By what records are weighed and what that says of figures and intervals; "" without weights.
std::string weighting_line(const AuditReport& report);

/// How units of several rows count, as of Metrics; "" where each row is one.
std::string units_line(const AuditReport& report);

/// How the audited model keeps those that it was trained under and those asked for. NOT PRIVATE.
TextTable constraints_table(const AuditReport& report);

}  // namespace equinoise
