// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/audit/audit_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_json.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/protection.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

bool has_records(const ExcessiveRisk& risk) {
  return std::any_of(risk.groups.begin(), risk.groups.end(),
                     [](const GroupRisk& group) { return group.num_records > 0; });
}

Json explanation_to_json(const AuditGrouping& grouping) {
  const ExcessiveRisk& risk = *grouping.risk;
  Json json = {
      {"columns", grouping.columns},
      {"learning_rate", grouping.explained.learning_rate},
      {"noise_stddev", grouping.explained.noise_stddev},
      {"clip", grouping.explained.clip},
      {"gradient_norm", number_or_null(risk.gradient_norm)},
      {"clipped_gradient_norm", number_or_null(risk.clipped_gradient_norm)},
      {"norm_ratio", risk.gradient_norm > 0 ? number_or_null(risk.norm_ratio) : Json(nullptr)},
      {"step_size_condition", has_records(risk) ? Json(risk.step_size_condition) : Json(nullptr)},
      {"groups", Json::array()},
      {"direction_gap_bound", Json::array()}};
  const size_t num_groups = risk.groups.size();
  for (size_t a = 0; a < num_groups; ++a) {
    json["groups"].push_back(risk_to_json(risk.groups[a], grouping.groups[a]));
    Json row = Json::array();
    for (size_t b = 0; b < num_groups; ++b) {
      const bool told = risk.groups[a].num_records > 0 && risk.groups[b].num_records > 0;
      row.push_back(told ? number_or_null(risk.direction_gap_bound_by_spectrum[a * num_groups + b])
                         : Json(nullptr));
    }
    json["direction_gap_bound"].push_back(std::move(row));
  }
  return json;
}

Json disparity_to_json(const Disparity& disparity, const AuditGrouping& grouping) {
  Json json = {{"columns", grouping.columns}, {"metric", std::string(disparity.metric)}};
  json["difference_between_groups"] = number_or_null(disparity.difference_between_groups.value);
  json["interval"] = interval_to_json(disparity.difference_between_groups.interval);
  json["difference_to_overall"] = number_or_null(disparity.difference_to_overall);
  json["ratio_between_groups"] = number_or_null(disparity.ratio_between_groups);
  json["ratio_to_overall"] = number_or_null(disparity.ratio_to_overall);
  json["lowest"] = json["highest"] = nullptr;
  if (disparity.is_defined()) {
    json["lowest"]["group"] = to_json(grouping.groups[disparity.lowest]);
    json["highest"]["group"] = to_json(grouping.groups[disparity.highest]);
  }
  json["left_out"] = labels_to_json(groups_at(grouping.groups, disparity.left_out));
  return json;
}

Json constraints_of(const AuditReport& report) {
  Json json = Json::array();
  for (const AuditThreshold& threshold : report.thresholds) {
    json.push_back({{"name", fmt::format("difference of {} between groups by {}", threshold.metric,
                                         columns_of(threshold.columns))},
                    {"metric", threshold.metric},
                    {"columns", threshold.columns},
                    {"value", number_or_null(threshold.value)},
                    {"slack", threshold.max_disparity},
                    {"verdict", to_string(threshold.verdict)},
                    {"holds", holds_or_null(threshold.verdict)},
                    {"left_out", labels_to_json(threshold.left_out)}});
  }
  for (const ConstraintReport& constraint : report.constraints) {
    json.push_back({{"name", constraint.name},
                    {"text", constraint.text},
                    {"origin", constraint.origin},
                    {"slack", constraint.slack}});
    json.back().update(check_to_json(*constraint.check));
    if (constraint.reference) json.back()["reference"] = check_to_json(*constraint.reference);
  }
  return json;
}

}  // namespace

nlohmann::ordered_json audit_to_json(const AuditReport& report) {
  const size_t num_classes = report.classes.size();
  Json json = {{"notice",
                std::string(kDoNotPublish) + "every figure is computed from records without noise"},
               {"notice_of_choice", kDoNotChooseBy},
               {"schema", kReportSchema},
               {"version", report.version},
               {"dataset", report.dataset},
               {"model", report.model},
               {"model_path", report.model_path},
               {"method", report.method},
               {"status", to_string(report.status)},
               {"alarms", alarms_of(report)},
               {"privacy", guarantee_or_null(report.privacy)},
               {"privacy_in_words", explain(report.protection)},
               {"target", report.target},
               {"classes", report.classes},
               {"data", report.data_path},
               {"held_out_only", report.held_out_only}};
  add_metrics(json["overall"], report.overall, num_classes);
  if (report.overall_cost) add_cost(json["overall"], *report.overall_cost, num_classes);
  json["groups"] = Json::array();
  json["disparities"] = Json::array();
  json["cost_gaps"] = Json::array();
  json["explanations"] = Json::array();
  Json reference_groups = Json::array();
  for (const AuditGrouping& grouping : report.groupings) {
    for (size_t i = 0; i < grouping.groups.size(); ++i) {
      Json row = {{"group", to_json(grouping.groups[i])}};
      add_metrics(row, grouping.metrics[i], num_classes);
      if (!grouping.cost.empty()) add_cost(row, grouping.cost[i], num_classes);
      row["privacy"] = guarantee_or_null(report.privacy);
      json["groups"].push_back(row);
      if (grouping.reference_metrics.empty()) continue;
      Json reference = {{"group", to_json(grouping.groups[i])}};
      add_metrics(reference, grouping.reference_metrics[i], num_classes);
      reference_groups.push_back(reference);
    }
    for (const Disparity& disparity : grouping.disparities)
      json["disparities"].push_back(disparity_to_json(disparity, grouping));
    add_cost_gaps(costs_of(grouping), num_classes, json["cost_gaps"]);
    if (grouping.risk) json["explanations"].push_back(explanation_to_json(grouping));
  }
  json["reference"] = nullptr;
  if (report.reference_path) {
    json["reference"] = Json::object({{"model_path", *report.reference_path}});
    if (report.overall_reference)
      add_metrics(json["reference"]["overall"], *report.overall_reference, num_classes);
    json["reference"]["groups"] = reference_groups;
  }
  json["constraints"] = constraints_of(report);
  json["ingest"] = report.ingest_notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["seconds"] = report.seconds;
  json["files"] = report.files;
  return json;
}

}  // namespace equinoise
