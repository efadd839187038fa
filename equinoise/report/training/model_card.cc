// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/model_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/report/alarms.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/page/markdown.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_tables.h"

namespace equinoise {

namespace {

std::string model_section(const TrainingReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"model", describe_model(report)},
      {"method", fmt::format("{} [{}]", report.method, report.source)},
      {"dataset", report.dataset},
      {"target", report.target}};
  std::string classes;
  for (const std::string& name : report.classes) classes += (classes.empty() ? "" : ", ") + name;
  rows.push_back({"predicts", report.classes.empty() ? "a number" : "one of: " + classes});
  rows.push_back({"parameters", format_count(static_cast<int64_t>(report.parameters.size()))});
  rows.push_back({"status", std::string(to_string(report.status))});
  rows.push_back({"made with", "Equinoise " + report.version});
  std::string text = "## Model\n" + markdown_table({"fact", "value"}, rows);
  text += fmt::format("\nIntended use: {}\n", markdown_text(intended_use(report)));
  if (!report.features.empty()) {
    std::vector<std::vector<std::string>> features;
    for (const auto& [column, encoding] : report.features) features.push_back({column, encoding});
    text += "\n## Features\n\nBounds and categories come from the schema, not from the records.\n" +
            markdown_table({"column", "encoding"}, features);
  }
  return text;
}

std::string constraints_section(const TrainingReport& report) {
  if (report.constraints.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const ConstraintReport& constraint : report.constraints)
    rows.push_back({constraint.name, constraint.text});
  return "\n## Constraints in training\n" + markdown_table({"name", "constraint"}, rows);
}

/// How the model does by a private evaluation, or that nobody knows.
std::string evaluation_section(const TrainingReport& report) {
  if (!is_evaluation_told(report)) return "";
  std::string text = fmt::format("\n## Private evaluation\n\n{}\n",
                                 markdown_text(private_evaluation_line(report)));
  for (const TextTable& evaluation : private_evaluation_tables(report))
    text += fmt::format("\n{}:\n{}", evaluation.caption, markdown_table(evaluation));
  return text;
}

std::string privacy_section(const TrainingReport& report) {
  std::string text = "\n## Privacy\n";
  std::vector<std::vector<std::string>> rows = {
      {"unit", report.unit == "row" ? "one row"
                                    : fmt::format("one {}, of whose rows at most {} count",
                                                  report.unit, report.max_records_per_unit)}};
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
  text += markdown_table({"fact", "value"}, rows);
  for (const GroupingRows& grouping : groupings_of(report.groups))
    text += markdown_table(public_table(grouping));
  if (const TextTable path = group_path_table(report); !path.rows.empty())
    text += fmt::format("\n## {}\n{}", path.caption, markdown_table(path));
  if (const TextTable coefficients = coefficients_table(report); !coefficients.rows.empty()) {
    text += fmt::format("\n## {}\n\n{}\n{}", coefficients.caption, coefficients_line(report),
                        markdown_table(coefficients));
  }
  text += "\n## Cost\n" + markdown_table(cost_table(report));
  if (report.ledger) {
    text += fmt::format(
        "\nLedger of dataset {}: budget epsilon {} at delta {}; spent {} before this run, {} "
        "after it.\n",
        markdown_text(report.ledger->dataset), format_epsilon(report.ledger->budget.epsilon),
        report.ledger->budget.delta.value(), format_epsilon(report.ledger->spent_before.epsilon),
        format_epsilon(report.ledger->spent_after.epsilon));
    if (const std::string assumption = account_assumption(report.ledger->budget);
        !assumption.empty())
      text += fmt::format("\n{}\n", assumption);
  }
  return text;
}

std::string settings_section(const TrainingReport& report) {
  return "\n## Settings\n" + markdown_table(settings_table(report)) +
         fmt::format("\nSplit: a share of {:.6g} of the {} was held out, split seed {}.\n",
                     report.test_fraction, name_of_units(report), report.split_seed);
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
    limitations.emplace_back("The guarantee treats everything in the schema as public.");
    limitations.emplace_back(kNotCovered);
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
  std::string text = fmt::format("# Model card: {} on {}\n\n", markdown_text(report.method),
                                 markdown_text(report.dataset));
  for (const std::string& alarm : publishable_alarms(report))
    text += fmt::format("> **{}.**\n>\n", markdown_text(alarm));
  text += fmt::format("> **Privacy: {}.**\n", markdown_text(privacy_line(report)));
  for (const std::string& sentence : explain(report.protection))
    text += fmt::format("> {}\n", markdown_text(sentence));
  text += "\n";
  for (const std::string& note : report.notes) text += fmt::format("- {}\n", markdown_text(note));
  for (const std::string& warning : report.warnings)
    text += fmt::format("Warning: {}\n\n", markdown_text(warning));
  text += model_section(report) + constraints_section(report) + evaluation_section(report) +
          privacy_section(report) + settings_section(report);
  text += "\n## Limitations\n\n";
  for (const std::string& limitation : limitations_of(report)) text += "- " + limitation + "\n";
  return text + "\n## Repeat\n\n" + markdown_code(report.command);
}

}  // namespace equinoise
