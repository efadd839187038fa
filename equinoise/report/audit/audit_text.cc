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

std::string audit_to_text(const AuditReport& report) {
  std::string text = fmt::format("Audit of {} ({}, {}) on {}, {}\n", report.model_path,
                                 report.model, report.method, report.data_path,
                                 report.held_out_only ? "held-out records only" : "all records");
  if (report.reference_path) text += fmt::format("Reference: {}\n", *report.reference_path);
  if (report.classes.size() == 2) text += fmt::format("Positive class: {}\n", report.classes[1]);
  text += "\n" + alarm_lines(alarms_of(report));
  for (const AuditGrouping& grouping : report.groupings) {
    text += to_text(audit_table(report, grouping)) + "\n" +
            costs_text(costs_of(grouping), report.classes.empty());
    if (!grouping.disparities.empty()) text += to_text(disparity_table(grouping)) + "\n";
    if (grouping.risk) {
      for (const TextTable& table : {explanation_table(grouping), gradient_table(grouping)})
        text += table.caption + "\n" + to_text(table) + "\n";
      text += explained_line(grouping) + "\n\n";
    }
  }
  if (report.groupings.empty()) text += to_text(audit_table(report, {})) + "\n";
  if (!report.thresholds.empty()) text += to_text(threshold_table(report)) + "\n";
  if (!report.constraints.empty()) text += to_text(constraints_table(report)) + "\n";
  text += fmt::format("Guarantee of the model: {}\n", privacy_line(report.status, report.privacy)) +
          lines_of(explain(report.protection));
  text += fmt::format(
              "These tables are NOT PRIVATE: they are computed from records without noise; do not "
              "publish "
              "them.\n{}\n",
              kDoNotChooseBy) +
          "Intervals cover the choice of records, not the noise drawn in training.\n";
  return text + closing_lines(report.ingest_notes, report.warnings, report.files);
}

}  // namespace equinoise
