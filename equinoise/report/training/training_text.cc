// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/training_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/report/alarms.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/protection.h"
#include "equinoise/report/training/other_methods_report.h"
#include "equinoise/report/training/training_tables.h"

namespace equinoise {

namespace {

/// What users of other tools have before them, which mostly account by Renyi DP.
std::string comparison_line(const TrainingReport& report) {
  if (!report.by_rdp) return "";
  return fmt::format("RDP accounting gives epsilon {} for the same noise\n",
                     format_epsilon(report.by_rdp->epsilon));
}

/// Whether there is a private evaluation, and what it costs.
std::string evaluation_lines(const TrainingReport& report) {
  if (!is_evaluation_told(report)) return "";
  const std::string cost = evaluation_cost_line(report);
  return fmt::format("{}\n{}\n", private_evaluation_line(report), cost.empty() ? "" : cost + "\n");
}

std::string fit_text(const TrainingReport& report, const GroupingRows& grouping) {
  const TextTable table = fit_table(report, grouping);
  return table.rows.empty() ? "" : to_text(table) + "\n";
}

}  // namespace

std::string plan_to_text(const TrainingReport& report) {
  std::string text = fmt::format("Plan: {} on {} ({})\n\n", report.method, report.dataset,
                                 to_string(report.status));
  size_t width = 22;
  for (const auto& [name, value] : report.settings) width = std::max(width, name.size() + 2);
  text += fmt::format("  {:<{}}{}\n", "model", width, describe_model(report));
  if (!report.optimizer.empty())
    text += fmt::format("  {:<{}}{}\n", "optimizer", width, report.optimizer);
  for (const auto& [name, value] : report.settings)
    text += fmt::format("  {:<{}}{}\n", name, width, format_setting(value));
  text += "\n" + to_text(cost_table(report));
  text += fmt::format("\nGuarantee: {}\n", privacy_line(report)) +
          lines_of(explain(report.protection)) + comparison_line(report) + "\n";
  if (!report.constraints.empty()) text += to_text(constraint_list(report)) + "\n";
  text += evaluation_lines(report);
  for (const GroupingRows& grouping : groupings_of(report.groups))
    text += to_text(public_table(grouping)) + "\n";
  if (!report.other_methods.empty()) text += other_methods_text(report) + "\n";
  if (report.ledger) text += ledger_lines(*report.ledger);
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text + warnings_to_text(report.warnings);
}

std::string training_to_text(const TrainingReport& report) {
  std::string text = alarm_lines(alarms_of(report));
  for (const GroupingRows& grouping : groupings_of(report.groups))
    text += to_text(training_table(report, grouping, false)) + "\n" + fit_text(report, grouping) +
            costs_text(costs_of(grouping), report.classes.empty());
  if (report.groups.empty())
    text += to_text(training_table(report, {}, false)) + "\n" + fit_text(report, {});
  if (!report.constraints.empty()) text += to_text(constraints_table(report)) + "\n";
  if (!report.explanations.empty()) {
    const TextTable table = explanations_table(report);
    text += fmt::format("{}; positive values are worse\n{}{}\n\n", table.caption, to_text(table),
                        clipping_columns_line());
  }
  if (report.largest_loss) text += largest_loss_line(report) + "\n\n";
  text += fmt::format("Guarantee: {}\n", privacy_line(report)) +
          lines_of(explain(report.protection)) + comparison_line(report);
  if (report.ledger) text += ledger_lines(*report.ledger);
  const bool is_one_table =
      report.explanations.empty() && report.constraints.empty() && report.classes.size() > 2;
  text += fmt::format(
      "{} computed from held-out records{} without noise; do not publish {}.\n{}\n",
      is_one_table ? "This table is NOT PRIVATE: it is" : "These tables are NOT PRIVATE: they are",
      report.explanations.empty() ? "" : ", the last one from training records,",
      is_one_table ? "it" : "them", kDoNotChooseBy);
  if (report.largest_loss)
    text += "The largest loss of training records is NOT PRIVATE either; do not publish it.\n";
  text +=
      fmt::format("Intervals cover the choice of held-out {}, not the noise drawn in training.\n",
                  name_of_units(report));
  if (const TextTable path = group_path_table(report); !path.rows.empty()) {
    text +=
        fmt::format("\n{}{}\n{}", report.status == PrivacyStatus::kPrivate ? "Publishable: " : "",
                    path.caption, to_text(path));
  }
  if (const TextTable table = coefficients_table(report); !table.rows.empty()) {
    text += fmt::format("\n{}{}. {}\n{}",
                        report.status == PrivacyStatus::kPrivate ? "Publishable: " : "",
                        table.caption, coefficients_line(report), to_text(table));
  }
  if (is_evaluation_told(report)) text += "\n" + evaluation_lines(report);
  for (const TextTable& table : private_evaluation_tables(report)) text += to_text(table) + "\n";
  return text + closing_lines(report.ingest_notes, report.warnings, report.files);
}

}  // namespace equinoise
