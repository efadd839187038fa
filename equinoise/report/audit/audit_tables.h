// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The groups of an audit, then the overall row. NOT PRIVATE.
TextTable audit_table(const AuditReport& report, const AuditGrouping& grouping);

/// The disparities between the groups of an audit. NOT PRIVATE.
TextTable disparity_table(const AuditGrouping& grouping);

/// The rates of each class of an audit's target for each group, then overall. No rows for a target
/// without several classes, or with too many for a table. NOT PRIVATE.
TextTable class_table(const AuditReport& report, const AuditGrouping& grouping);

/// The quality of the probabilities of each class. No rows without probabilities, or as in
/// class_table. NOT PRIVATE.
TextTable class_score_table(const AuditReport& report, const AuditGrouping& grouping);

/// The disparities between groups in these figures. No rows as in class_table. NOT PRIVATE.
TextTable class_disparity_table(const AuditReport& report, const AuditGrouping& grouping);

/// A sentence on rates of single classes that are missing from the tables; "" if none are.
std::string left_out_classes(const AuditReport& report, const AuditGrouping& grouping);

/// How well the scores of each group order its records, and their calibration. No rows without
/// scores. NOT PRIVATE.
TextTable score_table(const AuditReport& report, const AuditGrouping& grouping);

/// Predicted probabilities and shares of the positive class, by bin. No rows without probabilities.
/// NOT PRIVATE.
TextTable calibration_table(const AuditReport& report, const AuditGrouping& grouping);

/// The same for each of several classes. Empty without probabilities, or if there are too many
/// classes for tables.
std::vector<TextTable> class_calibration_tables(const AuditReport& report,
                                                const AuditGrouping& grouping);

/// The reasons why the groups of an audit lose: the effect of a step of training on each group's
/// loss, by cause. NOT PRIVATE.
TextTable explanation_table(const AuditGrouping& grouping);

/// The step that an audit explains, and whether it is too long for the second order to be
/// meaningful.
std::string explained_line(const AuditGrouping& grouping);

/// Caveats that make these figures unreliable, in sentences; often none.
std::vector<std::string> explained_caveats(const AuditGrouping& grouping);

/// The gradients and Hessians of that step. NOT PRIVATE.
TextTable gradient_table(const AuditGrouping& grouping);

/// "accuracy", "selection rate (share of income = >50K)": the figure of a limit. A selection rate
/// always names its class: with two classes the favourable one, if known, else the positive one.
std::string figure_of(const AuditReport& report, const AuditLimit& limit);

/// The limits of an audit and whether they hold. NOT PRIVATE.
TextTable threshold_table(const AuditReport& report);

/// The limits on ratios of an audit and whether they hold. NOT PRIVATE.
TextTable ratio_table(const AuditReport& report);

/// An explanation of both tables.
inline constexpr std::string_view kHowToReadLimits =
    "Differences are of the highest and the lowest group, ratios of the lowest and the highest. "
    "Intervals are for the largest difference, or the smallest ratio, of any two groups. A limit "
    "holds or fails if the whole interval says so, and is unclear otherwise; it is not answerable "
    "if the figure of a group with records is undefined, or if all rates of a ratio are 0.";

/// The source of logged predictions: "in decisions.csv (column approved)".
std::string logged_line(const AuditReport& report);

/// The text of an audit of logged predictions instead of a guarantee.
inline constexpr std::string_view kNoGuaranteeKnown =
    "These are exact figures of the table and not private. How the predictions were made is not "
    "known here, so no guarantee is stated for whoever made them.";

/// The weights of records and their effect on figures and intervals; "" without weights.
std::string weighting_line(const AuditReport& report);

/// How units of several rows count, as in Metrics; "" if each row is a unit.
std::string units_line(const AuditReport& report);

/// The values of the audited model's constraints, from training and from the request. NOT PRIVATE.
TextTable constraints_table(const AuditReport& report);

}  // namespace equinoise
