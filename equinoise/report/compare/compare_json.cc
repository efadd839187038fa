// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/compare/compare_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "equinoise/report/compare/compare_text.h"
#include "equinoise/report/group_json.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/fence.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json row_to_json(const CompareReport& report, const CompareRow& row) {
  Json json = {{"method", row.method},
               {"options", options_to_json(row.options)},
               {"epsilon", row.epsilon ? Json(*row.epsilon) : Json(nullptr)}};
  add_estimate(json, "overall", row.overall);
  add_estimate(json, "worst_group", row.worst_group);
  add_estimate(json, "gap", row.gap);
  add_estimate(json, "violation", row.violation);
  json["groups"] = Json::array();
  for (size_t k = 0; k < row.group_errors.size(); ++k) {
    Json& group = json["groups"].emplace_back(Json{{"group", to_json(report.groups[k].group)}});
    add_estimate(group, "error", row.group_errors[k]);
    group["privacy"] = guarantee_or_null(row.group_privacy[k]);
  }
  json["weakest_privacy"] = row.weakest ? Json(row.weakest->epsilon.value()) : Json(nullptr);
  json["guarantee"] = guarantee_or_null(row.weakest);
  json["public_groups"] = row.weakest ? Json(row.public_groups) : Json(nullptr);
  json["seconds"] = number_or_null(row.seconds.value);
  json["num_runs"] = row.runs.size();
  json["dominated"] = row.dominated ? Json(*row.dominated) : Json(nullptr);
  json["dominated_by"] = row.dominated_by.empty() ? Json(nullptr) : Json(row.dominated_by);
  json["problem"] = row.problem.empty() ? Json(nullptr) : Json(row.problem);
  json["warnings"] = row.warnings;
  json["notes"] = row.notes;
  return json;
}

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

Json advice_to_json(const CompareReport& report) {
  Json json = Json::array();
  for (const CompareAdvice& advice : report.advice) {
    json.push_back({{"epsilon", advice.epsilon},
                    {"method", advice.row ? Json(report.rows[*advice.row].method) : Json(nullptr)},
                    {"options", advice.row ? options_to_json(report.rows[*advice.row].options)
                                           : Json(nullptr)},
                    {"reason", advice.sentence}});
  }
  return json;
}

}  // namespace

Json options_to_json(const std::vector<Setting>& options) {
  Json json = Json::object();
  for (const Setting& option : options) json[option.name] = option_to_json(option.value);
  return json;
}

Json compare_to_json(const CompareReport& report) {
  Json json = {{"schema", kReportSchema}, {"report", "compare"}};
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
  json["public_data"] = report.is_public;
  json["version"] = report.version;
  json["dataset"] = report.dataset;
  json["task"] = word_of(kCompareTasks, report.task);
  json["target"] = report.target.empty() ? Json(nullptr) : Json(report.target);
  json["unit"] = report.unit.name;
  if (!report.unit.is_row()) json["max_records_per_unit"] = report.unit.max_records;
  json["num_records"] = report.num_records ? Json(*report.num_records) : Json(nullptr);
  json["test_fraction"] =
      report.task == CompareTask::kTraining ? Json(report.test_fraction) : Json(nullptr);
  json["num_seeds"] = report.num_seeds;
  json["error"] = report.error;
  json["is_share"] = report.is_share;
  json["judged"] = report.judged;
  json["has_constraints"] = report.has_constraints;
  json["rows"] = Json::array();
  for (const CompareRow& row : report.rows) json["rows"].push_back(row_to_json(report, row));
  json["recommended"] = recommended_of(report);
  json["recommended_reason"] = recommendation_lines(report);
  json["recommendations"] = advice_to_json(report);
  json["baseline"] = report.baseline;
  add_estimate(json, "constant", report.constant);
  json["num_comparisons"] = report.num_comparisons;
  json["least_records"] = report.least_records;
  json["groups"] = Json::array();
  for (const CompareGroup& group : report.groups) {
    json["groups"].push_back({{"group", to_json(group.group)},
                              {"num_records", group.num_records},
                              {"counted", group.is_counted}});
  }
  json["skipped"] = Json::array();
  for (const CompareSkip& skip : report.skipped) {
    json["skipped"].push_back(
        {{"method", skip.method},
         {"epsilons", skip.epsilons.empty() ? Json(nullptr) : Json(skip.epsilons)},
         {"reason", skip.reason}});
  }
  json["ingest"] = report.ingest_notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["files"] = report.files;
  return json;
}

}  // namespace equinoise
