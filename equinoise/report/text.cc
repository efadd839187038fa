// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/groups/grouping.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/fence.h"
#include "equinoise/report/tables.h"

namespace equinoise {

namespace {

std::string to_text(const TextTable& table) {
  return format_table(table.head, table.rows, table.num_left);
}

}  // namespace

std::string ledger_lines(const LedgerStatement& ledger) {
  const std::string assumption = account_assumption(ledger.budget);
  return fmt::format(
      "Ledger {}, dataset {}: budget epsilon {} at delta {}; spent {} before, {} after\n{}{}",
      ledger.path, ledger.dataset, format_epsilon(ledger.budget.epsilon),
      ledger.budget.delta.value(), format_epsilon(ledger.spent_before.epsilon),
      format_epsilon(ledger.spent_after.epsilon), assumption, assumption.empty() ? "" : "\n");
}

std::string lines_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

std::string warnings_to_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string format_table(const std::vector<std::string>& head,
                         const std::vector<std::vector<std::string>>& rows, size_t num_left) {
  std::vector<size_t> widths;
  for (size_t column = 0; column < head.size(); ++column) {
    size_t width = head[column].size();
    for (const auto& row : rows) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  const auto format_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t column = 0; column < cells.size(); ++column) {
      if (column > 0) line += "  ";
      line += column < num_left ? fmt::format("{:<{}}", cells[column], widths[column])
                                : fmt::format("{:>{}}", cells[column], widths[column]);
    }
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  size_t total = 2 * (head.size() - 1);
  for (size_t width : widths) total += width;
  std::string text = format_row(head) + std::string(total, '-') + "\n";
  for (const auto& row : rows) text += format_row(row);
  return text;
}

namespace {

/// What must be read first.
std::string alarm_lines(const std::vector<std::string>& alarms) {
  return alarms.empty() ? "" : lines_of(alarms) + "\n";
}

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

}  // namespace

std::string plan_to_text(const TrainingReport& report) {
  std::string text = fmt::format("Plan: {} on {} ({})\n\n", report.method, report.dataset,
                                 to_string(report.status));
  size_t width = 22;
  for (const auto& [name, value] : report.settings) width = std::max(width, name.size() + 2);
  text += fmt::format("  {:<{}}{}\n", "model", width, describe_model(report));
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
  if (report.group_outlook) text += outlook_to_text(report) + "\n";
  if (report.ledger) text += ledger_lines(*report.ledger);
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text + warnings_to_text(report.warnings);
}

namespace {

std::string range_text(const OutlookRanges::Range& range) {
  return range.least == range.most ? fmt::format("{:g}", range.least)
                                   : fmt::format("{:g} to {:g}", range.least, range.most);
}

/// "group difference 0 to 2, residual variance 1, curvature 0.01 to 1".
std::string ranges_text(const OutlookRanges& ranges) {
  return fmt::format("group difference {}, residual variance {}, curvature {}",
                     range_text(ranges.group_difference), range_text(ranges.residual_variance),
                     range_text(ranges.curvature));
}

/// "dpse to 0.0123, decoupled from there on".
std::string ranking_text(const std::vector<RankedRange>& ranking) {
  std::string text;
  for (size_t i = 0; i < ranking.size(); ++i) {
    text += i == 0 ? "" : ", then ";
    text += ranking[i].method;
    if (i + 1 < ranking.size()) text += fmt::format(" up to {:.3g}", ranking[i].to);
  }
  return text;
}

/// What to do, and how far it holds.
std::string recommendation_text(const GroupOutlookReport& outlook) {
  const GroupStrategy& best = outlook.strategies[outlook.best];
  std::string text;
  if (outlook.open_assumptions.empty()) {
    const std::string under =
        outlook.wants_epsilon
            ? fmt::format("for a group difference of {:g}, residual variance {:g}, curvature 1",
                          outlook.group_difference, outlook.residual_variance)
            : fmt::format("everywhere in {}", ranges_text(outlook.ranges));
    text +=
        fmt::format("{} ranks first {}{}\n", best.method, under,
                    outlook.is_difference_given ? "; that groups differ this much is an assumption "
                                                  "made with --group-difference, not a public fact"
                                                : "");
    return text + fmt::format("{}: {}\n",
                              outlook.wants_epsilon ? "Least epsilon" : "Least largest error",
                              best.options);
  }
  text += fmt::format("Which strategy ranks first depends on facts that are not public: {}",
                      fmt::join(outlook.open_assumptions, ", "));
  if (!outlook.ranking.empty()) {
    text += fmt::format(" (compared: {}).\n", ranges_text(outlook.ranges));
    if (outlook.ranking.size() > 1) {
      text += fmt::format("By group difference, with curvature 1 and residual variance {:g}: {}.\n",
                          outlook.residual_variance, ranking_text(outlook.ranking));
    }
  } else {
    text += fmt::format(
        "; the epsilons are those for a difference of {:g}, which was assumed because none was "
        "given.\n",
        outlook.group_difference);
  }
  text += fmt::format("{} is as good as any, as far as is known", best.method);
  if (best.privacy.empty())
    return text + ", but no budget reaches the requested error at that difference\n";
  return text + fmt::format(": {}\n", best.options);
}

}  // namespace

std::string outlook_to_text(const TrainingReport& report) {
  const GroupOutlookReport& outlook = *report.group_outlook;
  std::string text = fmt::format(
      "Expected squared error of each group above that of the best model of its own, with residual "
      "variance {:g} and groups\nthat differ by {:g} (--residual-variance, --group-difference); "
      "from public facts alone, under the assumptions of\ndocs/guide/choosing-a-method.md\n\n{}\n",
      outlook.residual_variance, outlook.group_difference, to_text(outlook_table(report)));
  if (std::all_of(outlook.strategies.begin(), outlook.strategies.end(),
                  [](const GroupStrategy& strategy) { return strategy.privacy.empty(); })) {
    return text +
           "No budget reaches the requested error: chance and the other groups alone cost more\n";
  }
  for (const StageOnePart& part : outlook.stage_one_parts) {
    text += fmt::format("dpse with --stage1-fraction {:g}: largest error {:.4g}, {}\n",
                        part.fraction, part.largest_error,
                        std::isfinite(part.largest_epsilon)
                            ? fmt::format("epsilon {:.4g}", part.largest_epsilon)
                            : "unreachable at any epsilon");
  }
  for (const GroupStrategy& strategy : outlook.strategies) {
    if (strategy.noise_warning)
      text += fmt::format("{} is not ranked: {}\n", strategy.method, *strategy.noise_warning);
  }
  return text + recommendation_text(outlook);
}

namespace {

template <typename Report>
std::string closing_lines(const Report& report) {
  std::string text;
  for (const std::string& note : report.ingest_notes) text += "not private: " + note + "\n";
  text += warnings_to_text(report.warnings);
  for (const std::string& file : report.files) text += "wrote " + file + "\n";
  return text;
}

std::string costs_text(const GroupCosts& groups, bool numeric_target) {
  const TextTable table = cost_table(groups, numeric_target);
  return table.rows.empty() ? "" : fmt::format("{}\n{}\n", table.caption, to_text(table));
}

}  // namespace

std::string training_to_text(const TrainingReport& report) {
  std::string text = alarm_lines(alarms_of(report));
  for (const GroupingRows& grouping : groupings_of(report.groups))
    text += to_text(training_table(report, grouping, false)) + "\n" +
            costs_text(costs_of(grouping), report.classes.empty());
  if (report.groups.empty()) text += to_text(training_table(report, {}, false)) + "\n";
  if (!report.constraints.empty()) text += to_text(constraints_table(report)) + "\n";
  if (!report.explanations.empty()) {
    const TextTable table = explanations_table(report);
    text += fmt::format("{}; positive values are worse\n{}\n", table.caption, to_text(table));
  }
  text += fmt::format("Guarantee: {}\n", privacy_line(report)) +
          lines_of(explain(report.protection)) + comparison_line(report);
  if (report.ledger) text += ledger_lines(*report.ledger);
  const bool is_one_table = report.explanations.empty() && report.constraints.empty();
  text += fmt::format(
      "{} computed from held-out records{} without noise; do not publish {}.\n{}\n",
      is_one_table ? "This table is NOT PRIVATE: it is" : "These tables are NOT PRIVATE: they are",
      report.explanations.empty() ? "" : ", the last one from training records,",
      is_one_table ? "it" : "them", kDoNotChooseBy);
  text += "Intervals cover the choice of held-out records, not the noise drawn in training.\n";
  if (const TextTable path = group_path_table(report); !path.rows.empty()) {
    text +=
        fmt::format("\n{}{}\n{}", report.status == PrivacyStatus::kPrivate ? "Publishable: " : "",
                    path.caption, to_text(path));
  }
  if (is_evaluation_told(report)) text += "\n" + evaluation_lines(report);
  for (const TextTable& table : private_evaluation_tables(report)) text += to_text(table) + "\n";
  return text + closing_lines(report);
}

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
  return text + closing_lines(report);
}

std::string ledger_to_text(const LedgerAccount& account, const std::string& path) {
  const double left = account.budget.epsilon.value() - account.spent.epsilon.value();
  std::string text = fmt::format("Ledger {}, dataset {}\n", path, account.dataset);
  text += fmt::format("  budget     epsilon {} at delta {}, {}\n",
                      format_epsilon(account.budget.epsilon), account.budget.delta.value(),
                      to_string(account.budget.relation));
  text += fmt::format("  spent      epsilon {} (accounting by {}, all entries composed)\n",
                      format_epsilon(account.spent.epsilon), account.budget.accountant);
  text += fmt::format(
      "  remaining  epsilon {:.4g}; a further release may cost more or less than the "
      "difference\n",
      std::fmax(0, left));
  text += fmt::format("  groups     {}\n", groups_rule(account.budget));
  if (account.spent_by_name) {
    text += fmt::format(
        "  by name    epsilon {}, added up as in the older version that opened the account\n",
        format_epsilon(account.spent_by_name->epsilon));
  }
  for (const GroupSpending& group : account.groups) {
    text += fmt::format("  cap        {}={}: epsilon {} of {} spent\n", group.cap.partition,
                        group.cap.group, format_epsilon(group.spent.epsilon),
                        format_epsilon(group.cap.epsilon));
  }
  if (const std::string reason = closed_because(account); !reason.empty())
    text += fmt::format("  closed     {}\n", reason);
  text += "\n";
  return text +
         (account.entries.empty() ? "No entries.\n" : to_text(entries_table(account.entries)));
}

}  // namespace equinoise
