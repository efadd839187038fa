// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/model_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "equinoise/report/alarms.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_tables.h"

namespace equinoise {

namespace {

/// Text that Markdown shows as it stands, also in a cell of a table. An underscore within a word
/// means nothing to Markdown.
std::string literal(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*[<|~&$";
  const auto is_word = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool bare_underscore = c == '_' && !(is_word(i - 1) && is_word(i + 1));
    if (bare_underscore || kSpecial.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

/// A code block with a fence longer than any row of backticks in it.
std::string code_block(const std::string& text) {
  size_t longest = 0;
  for (size_t run = 0, i = 0; i < text.size(); ++i) {
    run = text[i] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return fmt::format("{}\n{}\n{}\n", fence, text, fence);
}

std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + literal(cell) + " |";
    return text + "\n";
  };
  std::string text = "\n" + line(head) + "|";
  for (size_t i = 0; i < head.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : rows) text += line(row);
  return text;
}

std::string table(const TextTable& table_of_texts) {
  return table(table_of_texts.head, table_of_texts.rows);
}

std::string model_section(const TrainingReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"model", describe_model(report)},
      {"method",
       fmt::format("{} [{}], {}", report.method, report.source, to_string(report.maturity))},
      {"dataset", report.dataset},
      {"target", report.target}};
  std::string classes;
  for (const std::string& name : report.classes) classes += (classes.empty() ? "" : ", ") + name;
  rows.push_back({"predicts", report.classes.empty() ? "a number" : "one of: " + classes});
  rows.push_back({"parameters", format_count(static_cast<int64_t>(report.parameters.size()))});
  rows.push_back({"status", std::string(to_string(report.status))});
  rows.push_back({"made with", "Equinoise " + report.version});
  std::string text = "## Model\n" + table({"fact", "value"}, rows);
  text += fmt::format("\nIntended use: {}\n", literal(intended_use(report)));
  if (!report.features.empty()) {
    std::vector<std::vector<std::string>> features;
    for (const auto& [column, encoding] : report.features) features.push_back({column, encoding});
    text += "\n## Features\n\nBounds and categories come from the schema, not from the records.\n" +
            table({"column", "encoding"}, features);
  }
  return text;
}

std::string constraints_section(const TrainingReport& report) {
  if (report.constraints.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const ConstraintReport& constraint : report.constraints)
    rows.push_back({constraint.name, constraint.text});
  return "\n## Constraints in training\n" + table({"name", "constraint"}, rows);
}

/// How the model does by a private evaluation, or that nobody knows.
std::string evaluation_section(const TrainingReport& report) {
  if (!is_evaluation_told(report)) return "";
  std::string text =
      fmt::format("\n## Private evaluation\n\n{}\n", literal(private_evaluation_line(report)));
  for (const TextTable& evaluation : private_evaluation_tables(report))
    text += fmt::format("\n{}:\n{}", evaluation.caption, table(evaluation));
  return text;
}

std::string privacy_section(const TrainingReport& report) {
  std::string text = "\n## Privacy\n";
  std::vector<std::vector<std::string>> rows = {{"unit", "one " + report.unit}};
  if (report.privacy) {
    const Guarantee& privacy = *report.privacy;
    rows.push_back({"relation", std::string(to_string(privacy.relation))});
    rows.push_back({"epsilon", format_epsilon(privacy.epsilon)});
    rows.push_back({"delta", fmt::format("{}", privacy.delta.value())});
    rows.push_back({"accountant", std::string(to_string(privacy.accountant))});
    if (report.by_rdp)
      rows.push_back({"epsilon by RDP accounting", format_epsilon(report.by_rdp->epsilon)});
  } else {
    rows.push_back({"guarantee", "none"});
  }
  if (!report.schema_reviewed) {
    rows.push_back({"schema", "drafted from the data and not reviewed: outside the guarantee"});
  }
  text += table({"fact", "value"}, rows);
  for (const GroupingRows& grouping : groupings_of(report.groups))
    text += table(public_table(grouping));
  if (const TextTable path = group_path_table(report); !path.rows.empty())
    text += fmt::format("\n## {}\n{}", path.caption, table(path));
  if (const TextTable coefficients = coefficients_table(report); !coefficients.rows.empty()) {
    text += fmt::format("\n## {}\n\n{}\n{}", coefficients.caption, coefficients_line(report),
                        table(coefficients));
  }
  text += "\n## Cost\n" + table(cost_table(report));
  if (report.ledger) {
    text += fmt::format(
        "\nLedger of dataset {}: budget epsilon {} at delta {}; spent {} before this run, {} "
        "after it.\n",
        literal(report.ledger->dataset), format_epsilon(report.ledger->budget.epsilon),
        report.ledger->budget.delta.value(), format_epsilon(report.ledger->spent_before.epsilon),
        format_epsilon(report.ledger->spent_after.epsilon));
    if (const std::string assumption = account_assumption(report.ledger->budget);
        !assumption.empty())
      text += fmt::format("\n{}\n", assumption);
  }
  return text;
}

std::string settings_section(const TrainingReport& report) {
  return "\n## Settings\n" + table(settings_table(report)) +
         fmt::format("\nSplit: a share of {:.6g} of the records was held out, split seed {}.\n",
                     report.test_fraction, report.split_seed);
}

}  // namespace

std::string intended_use(const TrainingReport& report) {
  return fmt::format(
      "to predict {} for records that fit the schema and come from the same population as the "
      "table. Whether the model is accurate and fair enough must be judged for each decision it is "
      "used in.",
      report.target);
}

std::vector<std::string> limitations_of(const TrainingReport& report) {
  std::vector<std::string> limitations = {
      "Neither the software nor this model has been audited by a third party.",
      report.overall.private_rates ? "The only figures of accuracy on this page are those of the "
                                     "private evaluation: exact figures are not private."
                                   : "Accuracy and loss are not on this page: they are computed "
                                     "from records without noise and are not private."};
  if (report.privacy) {
    limitations.emplace_back(
        pay_apart(report.groups)
            ? "Members of different groups have different guarantees; see the table of groups."
            : "An equal epsilon for all groups does not mean equal accuracy.");
    limitations.emplace_back(
        "The guarantee treats everything in the schema as public. It does not cover timing, memory "
        "or other users of the machine.");
  } else {
    limitations.emplace_back(
        "No guarantee protects the records that the model was trained on: its parameters may "
        "reveal them.");
  }
  if (!report.schema_reviewed) {
    limitations.emplace_back(
        "The schema was drafted from the data and not reviewed (--public-data): no noise protects "
        "its bounds, categories and sizes.");
  }
  return limitations;
}

std::string card_to_markdown(const TrainingReport& report) {
  std::string text =
      fmt::format("# Model card: {} on {}\n\n", literal(report.method), literal(report.dataset));
  for (const std::string& alarm : publishable_alarms(report))
    text += fmt::format("> **{}.**\n>\n", literal(alarm));
  text += fmt::format("> **Privacy: {}.**\n", literal(privacy_line(report)));
  for (const std::string& sentence : explain(report.protection))
    text += fmt::format("> {}\n", literal(sentence));
  text += "\n";
  for (const std::string& note : report.notes) text += fmt::format("- {}\n", literal(note));
  for (const std::string& warning : report.warnings)
    text += fmt::format("Warning: {}\n\n", literal(warning));
  text += model_section(report) + constraints_section(report) + evaluation_section(report) +
          privacy_section(report) + settings_section(report);
  text += "\n## Limitations\n\n";
  for (const std::string& limitation : limitations_of(report)) text += "- " + limitation + "\n";
  return text + "\n## Repeat\n\n" + code_block(report.command);
}

}  // namespace equinoise
