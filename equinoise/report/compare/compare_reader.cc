// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/compare/compare_reader.h"

#include <algorithm>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/json_reader.h"

namespace equinoise {

namespace {

using CompareSection = OrderedJsonSection;

std::vector<Setting> read_point(const CompareSection& parent, const std::string& key) {
  const CompareSection options = parent.section(key);
  std::vector<Setting> point;
  for (const std::string& name : options.names())
    point.push_back({name, read_option(options, name)});
  return point;
}

std::string text_or_none(const CompareSection& section, const std::string& key) {
  return section.member(key).is_null() ? "" : section.text(key);
}

void read_comparison(const CompareSection& root, CompareReport& report) {
  if (root.text("report") != "compare") root.wrong("report", "\"compare\"");
  report.version = root.text("version");
  report.dataset = root.text("dataset");
  report.task = read_word(root, "task", kCompareTasks);
  report.target = text_or_none(root, "target");
  report.error = root.text("error");
  report.is_share = root.flag("is_share");
  report.judged = root.text("judged");
  if (root.has("max_records_per_unit"))
    report.unit = {root.text("unit"), read_count(root, "max_records_per_unit")};
  if (!root.member("num_records").is_null()) report.num_records = read_count(root, "num_records");
  report.test_fraction = root.member("test_fraction").is_null() ? 0 : root.number("test_fraction");
  report.least_records = read_count(root, "least_records");
  report.num_seeds = read_count(root, "num_seeds");
  report.has_constraints = root.flag("has_constraints");
  report.is_public = root.flag("public_data");
  report.baseline = root.text("baseline");
  report.constant = read_estimate(root, "constant");
  report.num_comparisons = read_count(root, "num_comparisons");
  report.ingest_notes = root.texts("ingest");
  report.warnings = root.texts("warnings");
  report.command = root.text("command");
  report.files = root.texts("files");
}

void read_compared_groups(const CompareSection& root, CompareReport& report) {
  for (const CompareSection& section : root.sections("groups")) {
    CompareGroup& group = report.groups.emplace_back();
    group.group = read_group(section, "group");
    group.columns = columns_of(group.group);
    group.num_records = read_count(section, "num_records");
    group.is_counted = section.flag("counted");
  }
}

CompareRow read_compared_row(const CompareSection& section,
                             const std::vector<CompareGroup>& groups) {
  CompareRow row;
  row.method = section.text("method");
  row.options = read_point(section, "options");
  if (!section.member("epsilon").is_null()) row.epsilon = section.number("epsilon");
  row.weakest = read_guarantee(section, "guarantee");
  if (!section.member("public_groups").is_null())
    row.public_groups = section.texts("public_groups");
  row.problem = text_or_none(section, "problem");
  row.overall = read_estimate(section, "overall");
  row.worst_group = read_estimate(section, "worst_group");
  row.gap = read_estimate(section, "gap");
  row.violation = read_estimate(section, "violation");
  row.seconds.value = read_number(section, "seconds");
  const std::vector<CompareSection> of_group = section.sections("groups");
  if (!of_group.empty() && of_group.size() != groups.size())
    section.wrong("groups", fmt::format("a list of {} groups, or empty", groups.size()));
  row.group_privacy.resize(groups.size());
  for (size_t k = 0; k < of_group.size(); ++k) {
    if (read_group(of_group[k], "group") != groups[k].group)
      of_group[k].wrong("group", "the group at that place of the whole report");
    row.group_errors.push_back(read_estimate(of_group[k], "error"));
    row.group_privacy[k] = read_guarantee(of_group[k], "privacy");
  }
  if (!section.member("dominated").is_null()) row.dominated = section.flag("dominated");
  row.dominated_by = text_or_none(section, "dominated_by");
  return row;
}

CompareAdvice read_advice(const CompareSection& section, const std::vector<CompareRow>& rows) {
  CompareAdvice advice{section.number("epsilon"), {}, section.text("reason")};
  if (section.member("method").is_null()) return advice;
  CompareRow recommended;
  recommended.method = section.text("method");
  recommended.options = read_point(section, "options");
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CompareRow& row) {
    return row.epsilon == advice.epsilon && name_of_row(row) == name_of_row(recommended);
  });
  if (found == rows.end()) section.wrong("method", "that of a row at this epsilon");
  advice.row = static_cast<size_t>(found - rows.begin());
  return advice;
}

}  // namespace

CompareReport compare_report_from_json(std::string_view text, std::string_view origin) {
  const JsonSource source = {
      .origin = std::string(origin),
      .where = "report.compare",
      .kind = "a compare.json of this version",
      .hint = "give a folder that equinoise compare of this version wrote with --out"};
  const auto json = parse_json<nlohmann::ordered_json>(text, source);
  const CompareSection root(json, "", source);
  CompareReport report;
  read_comparison(root, report);
  read_compared_groups(root, report);
  for (const CompareSection& row : root.sections("rows"))
    report.rows.push_back(read_compared_row(row, report.groups));
  for (const CompareSection& advice : root.sections("recommendations"))
    report.advice.push_back(read_advice(advice, report.rows));
  for (const CompareSection& skip : root.sections("skipped")) {
    CompareSkip& left_out = report.skipped.emplace_back();
    left_out.method = skip.text("method");
    left_out.reason = skip.text("reason");
    if (!skip.member("epsilons").is_null()) left_out.epsilons = skip.numbers("epsilons");
  }
  return report;
}

}  // namespace equinoise
