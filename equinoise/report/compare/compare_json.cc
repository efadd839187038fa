// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/page/fence.h"

namespace equinoise {

void complete(CompareGroup& group) { group.columns = columns_of(group.group); }

namespace compare_keys {

namespace {

/// The row that is recommended at every epsilon, or null.
Json recommended_of(const CompareReport& report) {
  std::string name;
  for (const CompareAdvice& advice : report.advice) {
    if (!advice.row) return nullptr;
    const std::string found = name_of_row(report.rows[*advice.row]);
    if (!name.empty() && name != found) return nullptr;
    name = found;
  }
  return name.empty() ? Json(nullptr) : Json(name);
}

}  // namespace

void write_guarantee(const CompareRow& row, const FieldScope&, Json& object) {
  object["weakest_privacy"] = row.weakest ? Json(row.weakest->epsilon.value()) : Json(nullptr);
  object["privacy"] = json_of(row.weakest, {});
  object["public_groups"] = row.weakest ? Json(row.public_groups) : Json(nullptr);
}

void read_guarantee(const Section& section, const FieldScope&, CompareRow& row) {
  // Earlier versions called it guarantee.
  row.weakest =
      equinoise::read_guarantee(section, section.has("privacy") ? "privacy" : "guarantee");
  if (!section.member("public_groups").is_null())
    row.public_groups = section.texts("public_groups");
}

void write_runs(const CompareRow& row, const FieldScope&, Json& object) {
  object["seconds"] = number_or_null(row.seconds.value);
  object["num_runs"] = row.runs.size();
}

void read_runs(const Section& section, const FieldScope&, CompareRow& row) {
  row.seconds.value = read_number(section, "seconds");
}

void write_rows(const CompareReport& report, const FieldScope& scope, Json& object) {
  Json& rows = object["rows"] = json_of(report.rows, scope);
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const CompareRow& row = report.rows[i];
    Json& groups = rows[i]["groups"] = Json::array();
    for (size_t k = 0; k < row.group_errors.size(); ++k) {
      Json& group = groups.emplace_back(Json{{"group", to_json(report.groups[k].group)}});
      add_estimate(group, "error", row.group_errors[k]);
      group["privacy"] = json_of(row.group_privacy[k], scope);
    }
  }
}

void read_rows(const Section& root, const FieldScope& scope, CompareReport& report) {
  const std::vector<CompareGroup>& groups = report.groups;
  for (const Section& section : root.sections("rows")) {
    CompareRow& row = report.rows.emplace_back(read_fields<CompareRow>(section, scope));
    row.group_privacy.resize(groups.size());
    const std::vector<Section> of_group = section.sections("groups");
    if (!of_group.empty() && of_group.size() != groups.size())
      section.wrong("groups", fmt::format("a list of {} groups, or empty", groups.size()));
    for (size_t k = 0; k < of_group.size(); ++k) {
      if (read_group(of_group[k], "group") != groups[k].group)
        of_group[k].wrong("group", "the group at that place of the whole report");
      row.group_errors.push_back(read_estimate(of_group[k], "error"));
      row.group_privacy[k] = equinoise::read_guarantee(of_group[k], "privacy");
    }
  }
}

void write_advice(const CompareReport& report, const FieldScope&, Json& object) {
  object["recommended"] = recommended_of(report);
  object["recommended_reason"] = recommendation_lines(report);
  Json& recommendations = object["recommendations"] = Json::array();
  for (const CompareAdvice& advice : report.advice) {
    const CompareRow* row = advice.row ? &report.rows[*advice.row] : nullptr;
    recommendations.push_back({{"epsilon", advice.epsilon},
                               {"method", row != nullptr ? Json(row->method) : Json(nullptr)},
                               {"options", row != nullptr ? to_json(row->options) : Json(nullptr)},
                               {"reason", advice.sentence}});
  }
}

void read_advice(const Section& root, const FieldScope&, CompareReport& report) {
  for (const Section& section : root.sections("recommendations")) {
    CompareAdvice& advice = report.advice.emplace_back(
        CompareAdvice{section.number("epsilon"), {}, section.text("reason")});
    if (section.member("method").is_null()) continue;
    CompareRow recommended;
    recommended.method = section.text("method");
    recommended.options = read_options(section, "options");
    const auto found = std::ranges::find_if(report.rows, [&](const CompareRow& row) {
      return row.epsilon == advice.epsilon && name_of_row(row) == name_of_row(recommended);
    });
    if (found == report.rows.end()) section.wrong("method", "that of a row at this epsilon");
    advice.row = static_cast<size_t>(found - report.rows.begin());
  }
}

}  // namespace compare_keys

nlohmann::ordered_json compare_to_json(const CompareReport& report) {
  nlohmann::ordered_json json = json_document("compare");
  constexpr const char* kWhat =
      "every figure is computed from records without noise, by runs under seeds that are known";
  if (report.is_public) {
    json["notice"] = std::string(
                         "NOT PRIVATE, publishable only because --public-data says that the "
                         "records are public: ") +
                     kWhat;
  } else {
    json["notice"] = std::string(kDoNotPublish) + kWhat;
    json["notice_of_choice"] = kDoNotChooseBy;
  }
  write_fields(report, {}, json);
  return json;
}

CompareReport compare_report_from_json(std::string_view text, std::string_view origin) {
  return read_document({"compare", origin, "report.compare", "compare.json"}, text,
                       [](const auto& root) { return read_fields<CompareReport>(root, {}); });
}

}  // namespace equinoise
