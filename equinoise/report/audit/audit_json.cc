// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/audit/audit_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_tables.h"
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
      {"direction_gap_bound", Json::array()},
      {"direction_first_gap_bound", Json::array()}};
  const size_t num_groups = risk.groups.size();
  for (size_t a = 0; a < num_groups; ++a) {
    json["groups"].push_back(risk_to_json(risk.groups[a], grouping.groups[a]));
    const auto row_of = [&](const std::vector<double>& bounds) {
      Json row = Json::array();
      for (size_t b = 0; b < num_groups; ++b) {
        const bool told = risk.groups[a].num_records > 0 && risk.groups[b].num_records > 0;
        row.push_back(told ? number_or_null(bounds[a * num_groups + b]) : Json(nullptr));
      }
      return row;
    };
    json["direction_gap_bound"].push_back(row_of(risk.direction_gap_bound_by_spectrum));
    json["direction_first_gap_bound"].push_back(row_of(risk.direction_first_gap_bound_by_spectrum));
  }
  return json;
}

/// What the records weigh together, in units of the column of weights, and how many records of
/// equal weight would be as certain; nothing without weights.
void add_weight(Json& json, const Metrics& metrics, const std::optional<AuditWeights>& weights) {
  if (!weights) return;
  json["weight"] = number_or_null(metrics.weight * weights->unit);
  json["effective_records"] = number_or_null(metrics.effective_records);
}

/// The curves of a positive class with scores.
void add_curves(Json& json, const ScoreCurves& curves) {
  json["roc"] = Json::array();
  for (const RocPoint& point : curves.roc) {
    json["roc"].push_back({{"threshold", number_or_null(point.threshold)},
                           {"false_positive_rate", point.false_positive_rate},
                           {"true_positive_rate", point.true_positive_rate}});
  }
  json["calibration"] = Json::array();
  for (const CalibrationBin& bin : curves.calibration) {
    Json row = {{"low", bin.low},
                {"high", bin.high},
                {"num_records", bin.num_records},
                {"mean_probability", number_or_null(bin.mean_probability)}};
    add_estimate(row, "share", bin.share);
    json["calibration"].push_back(std::move(row));
  }
}

/// The figures of each of several classes; nothing of other targets. curves: (num_classes) of its
/// probabilities, or empty.
void add_classes(Json& json, const Metrics& metrics, const std::vector<std::string>& classes,
                 const std::vector<ScoreCurves>& curves) {
  if (classes.size() <= 2 || classes.size() > kMaxCountedClasses) return;
  json["per_class"] = Json::array();
  for (size_t k = 0; k < classes.size(); ++k) {
    const Metrics found = class_metrics(metrics, k);
    const bool is_counted = !metrics.classes.empty();
    Json row = {{"class", classes[k]},
                {"num_records", found.num_records},
                {"num_of_class", is_counted ? Json(found.num_positives) : Json(nullptr)}};
    for (const MetricRow& metric : metric_rows())
      if (metric.of_classes) add_estimate(row, std::string(metric.name), found.*metric.estimate);
    if (!curves.empty()) add_curves(row, curves[k]);
    json["per_class"].push_back(std::move(row));
  }
}

/// The curves of one group in each class.
std::vector<ScoreCurves> curves_of(const AuditGrouping& grouping, size_t group) {
  std::vector<ScoreCurves> curves;
  for (const std::vector<ScoreCurves>& of_class : grouping.class_curves)
    curves.push_back(of_class[group]);
  return curves;
}

/// How the predictions were made, as far as it is known.
void add_origin(Json& json, const AuditReport& report) {
  if (!report.logged) {
    json["model"] = report.model;
    json["model_path"] = report.model_path;
    json["method"] = report.method;
    json["status"] = to_string(report.status);
    return;
  }
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  const LoggedPredictions& logged = *report.logged;
  json["model"] = json["model_path"] = json["method"] = json["status"] = nullptr;
  json["predictions"] = {{"prediction", text_or_null(logged.prediction)},
                         {"probability", text_or_null(logged.probability)},
                         {"probabilities", logged.probabilities},
                         {"score", text_or_null(logged.score)},
                         {"threshold", logged.threshold ? Json(*logged.threshold) : Json(nullptr)},
                         {"classes_are_learnt", logged.classes_are_learnt}};
}

/// `what`: "difference" or "ratio"; `key`: of its limit.
Json limit_to_json(const AuditLimit& limit, const char* what, const char* key) {
  const bool has_class = !limit.of_class.empty();
  Json json = {
      {"name", fmt::format("{} of {}{} between groups by {}", what, limit.metric,
                           has_class ? " of " + limit.of_class : "", columns_of(limit.columns))},
      {"metric", limit.metric}};
  if (has_class) json["class"] = limit.of_class;
  json["columns"] = limit.columns;
  json["value"] = number_or_null(limit.check.value);
  json["interval"] = interval_to_json(limit.check.interval);
  json[key] = limit.limit;
  json["verdict"] = to_string(limit.check.verdict);
  json["holds"] = holds_or_null(limit.check.verdict);
  json["lowest"] = json["highest"] = nullptr;
  if (!limit.lowest.empty()) {
    json["lowest"]["group"] = to_json(limit.lowest.front());
    json["highest"]["group"] = to_json(limit.highest.front());
  }
  json["left_out"] = labels_to_json(limit.left_out);
  return json;
}

Json ratios_of(const AuditReport& report) {
  Json json = Json::array();
  for (const AuditLimit& limit : report.ratios)
    json.push_back(limit_to_json(limit, "ratio", "min_ratio"));
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
  for (const AuditLimit& limit : report.thresholds)
    json.push_back(limit_to_json(limit, "difference", "slack"));
  for (const ConstraintReport& constraint : report.constraints) {
    json.push_back({{"name", constraint.name},
                    {"text", constraint.text},
                    {"origin", constraint.origin},
                    {"slack", constraint.slack}});
    json.back().update(to_json(*constraint.check));
    if (constraint.reference) json.back()["reference"] = to_json(*constraint.reference);
  }
  return json;
}

}  // namespace

nlohmann::ordered_json audit_to_json(const AuditReport& report) {
  const size_t num_classes = report.classes.size();
  const FieldScope scope{Told::kInReport, num_classes};
  Json json = {{"notice",
                std::string(kDoNotPublish) + "every figure is computed from records without noise"},
               {"notice_of_choice", kDoNotChooseBy},
               {"schema", kReportSchema},
               {"kind", "audit"},
               {"version", report.version},
               {"dataset", report.dataset}};
  add_origin(json, report);
  json["alarms"] = alarms_of(report);
  json["privacy"] = guarantee_or_null(report.privacy);
  json["privacy_in_words"] = report.logged
                                 ? std::vector<std::string>{std::string(kNoGuaranteeKnown)}
                                 : explain(report.protection);
  json["attack_bounds"] = attack_or_null(report.protection);
  json["target"] = report.target;
  json["classes"] = report.classes;
  json["favourable"] = report.favourable.empty() ? Json(nullptr) : Json(report.favourable);
  json["data"] = report.data_path;
  json["held_out_only"] = report.held_out_only;
  json["unit"] = report.unit.name;
  if (!report.unit.is_row()) json["max_records_per_unit"] = report.unit.max_records;
  if (report.weights) json["weights"] = report.weights->column;
  add_members(json["overall"], report.overall, scope);
  add_weight(json["overall"], report.overall, report.weights);
  add_classes(json["overall"], report.overall, report.classes, report.overall_class_curves);
  if (report.overall_cost) add_members(json["overall"], *report.overall_cost, scope);
  if (!report.overall_curves.empty()) add_curves(json["overall"], report.overall_curves.front());
  json["groups"] = Json::array();
  json["disparities"] = Json::array();
  json["cost_gaps"] = Json::array();
  json["explanations"] = Json::array();
  Json reference_groups = Json::array();
  for (const AuditGrouping& grouping : report.groupings) {
    for (size_t i = 0; i < grouping.groups.size(); ++i) {
      Json row = {{"group", to_json(grouping.groups[i])}};
      add_members(row, grouping.metrics[i], scope);
      add_weight(row, grouping.metrics[i], report.weights);
      add_classes(row, grouping.metrics[i], report.classes, curves_of(grouping, i));
      if (!grouping.cost.empty()) add_members(row, grouping.cost[i], scope);
      if (!grouping.curves.empty()) add_curves(row, grouping.curves[i]);
      row["privacy"] = guarantee_or_null(report.privacy);
      json["groups"].push_back(row);
      if (grouping.reference_metrics.empty()) continue;
      Json reference = {{"group", to_json(grouping.groups[i])}};
      add_members(reference, grouping.reference_metrics[i], scope);
      reference_groups.push_back(reference);
    }
    for (const Disparity& disparity : grouping.disparities)
      json["disparities"].push_back(disparity_to_json(disparity, grouping));
    for (size_t k = 0; k < grouping.class_disparities.size(); ++k) {
      for (const Disparity& disparity : grouping.class_disparities[k]) {
        json["disparities"].push_back(disparity_to_json(disparity, grouping));
        json["disparities"].back()["class"] = report.classes[k];
      }
    }
    add_cost_gaps(costs_of(grouping), num_classes, json["cost_gaps"]);
    if (grouping.risk) json["explanations"].push_back(explanation_to_json(grouping));
  }
  json["reference"] = nullptr;
  if (report.reference_path) {
    json["reference"] = Json::object({{"model_path", *report.reference_path}});
    if (report.overall_reference)
      add_members(json["reference"]["overall"], *report.overall_reference, scope);
    json["reference"]["groups"] = reference_groups;
  }
  json["constraints"] = constraints_of(report);
  if (!report.ratios.empty()) json["ratios"] = ratios_of(report);
  json["ingest"] = report.ingest_notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["seconds"] = report.seconds;
  json["files"] = report.files;
  return json;
}

}  // namespace equinoise
