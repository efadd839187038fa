// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/audit/audit_text.h"

#include <fmt/format.h>

#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_tables.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/protection.h"

namespace equinoise {

namespace {

/// What is known of single classes and of scores; "" where there is nothing.
std::string details_text(const AuditReport& report, const AuditGrouping& grouping) {
  std::string text;
  for (const TextTable& table :
       {class_table(report, grouping), class_score_table(report, grouping),
        class_disparity_table(report, grouping), score_table(report, grouping)})
    if (!table.rows.empty()) text += fmt::format("{}\n{}\n", table.caption, to_text(table));
  if (const std::string note = left_out_classes(report, grouping); !note.empty())
    text += note + "\n\n";
  return text;
}

}  // namespace

std::string audit_to_text(const AuditReport& report) {
  std::string text =
      report.logged
          ? fmt::format("Audit of the predictions {} of {}\n", logged_line(report), report.target)
          : fmt::format("Audit of {} ({}, {}) on {}, {}\n", report.model_path, report.model,
                        report.method, report.data_path,
                        report.held_out_only ? fmt::format("held-out {} only", report.unit.plural())
                                             : "all " + report.unit.plural());
  if (report.reference_path) text += fmt::format("Reference: {}\n", *report.reference_path);
  if (report.classes.size() == 2) text += fmt::format("Positive class: {}\n", report.classes[1]);
  if (!report.favourable.empty()) text += fmt::format("Favourable class: {}\n", report.favourable);
  if (report.weights) text += weighting_line(report) + "\n";
  if (!report.unit.is_row()) text += units_line(report) + "\n";
  text += "\n" + alarm_lines(alarms_of(report));
  for (const AuditGrouping& grouping : report.groupings) {
    text += to_text(audit_table(report, grouping)) + "\n" +
            costs_text(costs_of(grouping), report.classes.empty());
    if (!grouping.disparities.empty()) text += to_text(disparity_table(grouping)) + "\n";
    text += details_text(report, grouping);
    if (grouping.risk) {
      for (const TextTable& table : {explanation_table(grouping), gradient_table(grouping)})
        text += table.caption + "\n" + to_text(table) + "\n";
      text += explained_line(grouping) + "\n\n";
    }
  }
  if (report.groupings.empty())
    text += to_text(audit_table(report, {})) + "\n" + details_text(report, {});
  if (!report.thresholds.empty()) text += to_text(threshold_table(report)) + "\n";
  if (!report.ratios.empty()) text += to_text(ratio_table(report)) + "\n";
  if (!report.thresholds.empty() || !report.ratios.empty())
    text += fmt::format("{}\n\n", kHowToReadLimits);
  if (!report.constraints.empty()) text += to_text(constraints_table(report)) + "\n";
  text += report.logged ? fmt::format("{}\n", kNoGuaranteeKnown)
                        : fmt::format("Guarantee of the model: {}\n",
                                      privacy_line(report.status, report.privacy)) +
                              lines_of(explain(report.protection));
  text += fmt::format(
              "These tables are NOT PRIVATE: they are computed from records without noise; do not "
              "publish "
              "them.\n{}\n",
              kDoNotChooseBy) +
          fmt::format("Intervals cover the choice of {}{}.\n", report.unit.plural(),
                      report.logged ? "" : ", not the noise drawn in training");
  return text + closing_lines(report.ingest_notes, report.warnings, report.files);
}

}  // namespace equinoise
