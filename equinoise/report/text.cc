#include "equinoise/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace equinoise {

namespace {

/// A share in percent with one decimal, never "-0.0".
std::string percent(double share) {
  const double rounded = std::round(1000 * share) / 10;
  return fmt::format("{:.1f}", rounded == 0 ? 0.0 : rounded);
}

std::string format_percent(const Estimate& estimate) {
  if (!std::isfinite(estimate.value)) return "-";
  return fmt::format("{} [{}, {}]", percent(estimate.value), percent(estimate.interval.low),
                     percent(estimate.interval.high));
}

std::string format_loss(const Estimate& estimate) {
  if (!std::isfinite(estimate.value)) return "-";
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", estimate.value, estimate.interval.low,
                     estimate.interval.high);
}

std::string format_guarantee(const Guarantee& guarantee) {
  return fmt::format("epsilon {}, delta {} ({}, {})", format_epsilon(guarantee.epsilon),
                     guarantee.delta.value(), guarantee.accountant, to_string(guarantee.relation));
}

/// 36,632 or 0.0139769
std::string format_setting(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? format_count(static_cast<int64_t>(value)) : fmt::format("{:.6g}", value);
}

std::string epsilon_of(const std::optional<Guarantee>& guarantee) {
  return guarantee ? format_epsilon(guarantee->epsilon) : "none";
}

std::string format_size(const std::optional<int64_t>& size) {
  return size ? format_count(*size) : "not public";
}

/// "Female, White", or "everybody"; the columns stand in the table's head.
std::string values_of(const GroupLabel& group) {
  if (group.empty()) return "everybody";
  std::string text;
  for (const auto& [column, value] : group) text += (text.empty() ? "" : ", ") + value;
  return text;
}

std::string columns_of(const GroupLabel& group) {
  std::string text;
  for (const auto& [column, value] : group) text += (text.empty() ? "" : ", ") + column;
  return text;
}

/// Calls use(columns, rows) for each grouping of the report, in order.
template <typename Use>
void for_each_grouping(const std::vector<GroupReport>& groups, Use use) {
  for (size_t begin = 0; begin < groups.size();) {
    const std::string columns = columns_of(groups[begin].group);
    size_t end = begin;
    while (end < groups.size() && columns_of(groups[end].group) == columns) ++end;
    use(columns, std::vector<GroupReport>(groups.begin() + static_cast<std::ptrdiff_t>(begin),
                                          groups.begin() + static_cast<std::ptrdiff_t>(end)));
    begin = end;
  }
}

std::string privacy_line(const TrainingReport& report) {
  if (report.status == "insecure rng") {
    return "NOT PRIVATE: made with a reproducible random source (--insecure-test-rng)";
  }
  return report.privacy ? format_guarantee(*report.privacy) : "NOT PRIVATE: no guarantee";
}

std::string costs_to_text(const TrainingReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const CostLine& cost : report.costs) rows.push_back({cost.label, cost.event.to_text()});
  if (rows.empty()) rows.push_back({"nothing", "-"});
  return format_table({"cost", "event"}, rows, 2);
}

std::string ledger_lines(const LedgerStatement& ledger) {
  return fmt::format(
      "Ledger {}, dataset {}: budget epsilon {} at delta {}; spent {} before, {} after\n",
      ledger.path, ledger.dataset, format_epsilon(ledger.budget.epsilon),
      ledger.budget.delta.value(), format_epsilon(ledger.spent_before.epsilon),
      format_epsilon(ledger.spent_after.epsilon));
}

std::string public_groups_to_text(const TrainingReport& report) {
  std::string text;
  for_each_grouping(report.groups, [&](const std::string& columns,
                                       const std::vector<GroupReport>& groups) {
    std::vector<std::vector<std::string>> rows;
    rows.reserve(groups.size());
    for (const GroupReport& group : groups) {
      rows.push_back({values_of(group.group), format_size(group.public_size),
                      epsilon_of(group.privacy),
                      group.relative_noise ? fmt::format("{:.3g}", *group.relative_noise) : "-"});
    }
    text +=
        format_table({columns, "public size", "epsilon", "noise per expected member"}, rows) + "\n";
  });
  return text;
}

std::string warnings_to_text(const TrainingReport& report) {
  std::string text;
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace

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

std::string format_epsilon(const Epsilon& epsilon) {
  if (epsilon.value() == 0) return "0";
  // Rounded up, so that what is shown is never less than what was spent.
  const double unit = std::pow(10, std::floor(std::log10(epsilon.value())) - 3);
  return fmt::format("{:.4g}", std::ceil(epsilon.value() / unit * (1 - 1e-12)) * unit);
}

std::string format_count(int64_t count) {
  std::string digits = std::to_string(count);
  const auto first = static_cast<std::ptrdiff_t>(digits.front() == '-' ? 1 : 0);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > first; place -= 3) {
    digits.insert(static_cast<size_t>(place), ",");
  }
  return digits;
}

std::string plan_to_text(const TrainingReport& report) {
  std::string text =
      fmt::format("Plan: {} on {} ({})\n\n", report.method, report.dataset, report.status);
  for (const auto& [name, value] : report.settings)
    text += fmt::format("  {:<22}{}\n", name, format_setting(value));
  text += "\n" + costs_to_text(report);
  text += fmt::format("\nGuarantee: {}\n\n", privacy_line(report));
  text += public_groups_to_text(report);
  if (report.ledger) text += ledger_lines(*report.ledger);
  return text + warnings_to_text(report);
}

namespace {

/// One grouping and everybody, with the figures from held-out records.
std::string metrics_table(const TrainingReport& report, const std::string& columns,
                          std::vector<GroupReport> groups) {
  groups.push_back(report.overall);
  const bool with_reference = report.overall.reference.has_value();
  std::vector<std::string> head = {columns, "public size", "tested", "accuracy % [95 %]",
                                   "loss [95 %]"};
  if (with_reference) head.insert(head.end(), {"reference %", "lost to privacy, points"});
  head.emplace_back("epsilon");
  std::vector<std::vector<std::string>> rows;
  for (const GroupReport& group : groups) {
    std::vector<std::string> row = {values_of(group.group), format_size(group.public_size)};
    row.push_back(group.metrics ? format_count(group.metrics->num_records) : "-");
    row.push_back(group.metrics ? format_percent(group.metrics->accuracy) : "-");
    row.push_back(group.metrics ? format_loss(group.metrics->loss) : "-");
    if (with_reference) {
      const double reference = group.reference ? group.reference->accuracy.value : NAN;
      row.push_back(std::isfinite(reference) ? percent(reference) : "-");
      row.push_back(group.accuracy_cost ? format_percent(*group.accuracy_cost) : "-");
    }
    row.push_back(epsilon_of(group.privacy));
    rows.push_back(row);
  }
  return format_table(head, rows) + "\n";
}

}  // namespace

std::string training_to_text(const TrainingReport& report) {
  std::string text;
  for_each_grouping(report.groups,
                    [&](const std::string& columns, const std::vector<GroupReport>& groups) {
                      text += metrics_table(report, columns, groups);
                    });
  if (report.groups.empty()) text += metrics_table(report, "records", {});
  text += fmt::format("Guarantee: {}\n", privacy_line(report));
  if (report.ledger) text += ledger_lines(*report.ledger);
  text +=
      "This table is NOT PRIVATE: it is computed from held-out records without noise; do not "
      "publish it.\n"
      "Intervals speak of the choice of held-out records, not of the noise drawn in training.\n";
  for (const std::string& note : report.ingest_notes) text += "not private: " + note + "\n";
  text += warnings_to_text(report);
  for (const std::string& file : report.files) text += "wrote " + file + "\n";
  return text;
}

std::string card_to_markdown(const TrainingReport& report) {
  std::string text = fmt::format("# Model card: {} on {}\n\n", report.method, report.dataset);
  text += fmt::format("**Privacy: {}.**\n\n", privacy_line(report));
  text += fmt::format(
      "Model `{}` for `{}` ({} parameters), trained by `{}` [{}], status: {}, maturity: "
      "{}, Equinoise {}.\n"
      "The privacy unit is one {}. This page holds publishable facts only; figures about accuracy "
      "are in report.json, "
      "which is not private.\n\n",
      report.model, report.target, report.parameters.size(), report.method, report.source,
      report.status, report.maturity, report.version, report.unit);
  text += "## Settings\n\n| setting | value |\n|---|---|\n";
  for (const auto& [name, value] : report.settings)
    text += fmt::format("| {} | {} |\n", name, format_setting(value));
  text += "\n## Cost\n\n| item | event |\n|---|---|\n";
  for (const CostLine& cost : report.costs)
    text += fmt::format("| {} | {} |\n", cost.label, cost.event.to_text());
  text += "\n## Guarantee of each group\n";
  for_each_grouping(
      report.groups, [&](const std::string& columns, const std::vector<GroupReport>& groups) {
        text += fmt::format("\n| {} | public size | epsilon |\n|---|---|---|\n", columns);
        for (const GroupReport& group : groups) {
          text += fmt::format("| {} | {} | {} |\n", values_of(group.group),
                              format_size(group.public_size), epsilon_of(group.privacy));
        }
      });
  text += fmt::format("\n## Repeat\n\n```\n{}\n```\n", report.command);
  for (const std::string& warning : report.warnings)
    text += fmt::format("\nWarning: {}\n", warning);
  return text;
}

std::string ledger_to_text(const LedgerAccount& account, const std::string& path) {
  const double left = account.budget.epsilon.value() - account.spent.epsilon.value();
  std::string text = fmt::format("Ledger {}, dataset {}\n", path, account.dataset);
  text += fmt::format("  budget     epsilon {} at delta {}, {}\n",
                      format_epsilon(account.budget.epsilon), account.budget.delta.value(),
                      to_string(account.budget.relation));
  text += fmt::format("  spent      epsilon {} ({}, all entries composed)\n",
                      format_epsilon(account.spent.epsilon), account.spent.accountant);
  text += fmt::format(
      "  remaining  epsilon {:.4g}; a further release may cost more or less than the "
      "difference\n\n",
      std::fmax(0, left));
  std::vector<std::vector<std::string>> rows;
  for (const LedgerEntry& entry : account.entries) {
    for (const Event& event : entry.events) {
      rows.push_back({std::to_string(entry.sequence), entry.time, entry.purpose, event.to_text()});
    }
  }
  return text + (rows.empty() ? "No entries.\n"
                              : format_table({"entry", "time", "purpose", "event"}, rows, 4));
}

}  // namespace equinoise
