// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/report/audit/audit_fields.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace audit_keys {

namespace {

using Json = nlohmann::ordered_json;

bool has_records(const ExcessiveRisk& risk) {
  return std::ranges::any_of(risk.groups,
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

Figures figures_of(const AuditReport& report, const AuditedRecords& records) {
  const Metrics& metrics = records.metrics;
  Figures row;
  row.metrics = metrics;
  row.cost = records.cost;
  row.curves = records.curves;
  row.privacy = report.privacy;
  if (report.weights) {
    row.weight = metrics.weight * report.weights->unit;
    row.effective_records = metrics.effective_records;
  }
  const size_t num_classes = report.classes.size();
  if (num_classes <= 2 || num_classes > kMaxCountedClasses) return row;
  for (size_t k = 0; k < num_classes; ++k) {
    const Metrics found = class_metrics(metrics, k);
    ClassFigures& of_class = row.classes.emplace_back(
        ClassFigures{report.classes[k], found.num_records, {}, {found}, {}});
    if (!metrics.classes.empty()) of_class.num_of_class = found.num_positives;
    if (!records.class_curves.empty()) of_class.curves = records.class_curves[k];
  }
  return row;
}

}  // namespace

std::vector<std::string> privacy_in_words(const AuditReport& report) {
  return report.logged ? std::vector{std::string(kNoGuaranteeKnown)} : explain(report.protection);
}

Figures overall(const AuditReport& report) { return figures_of(report, report.overall); }

std::vector<Figures> groups(const AuditReport& report) {
  std::vector<Figures> rows;
  for (const AuditGrouping& grouping : report.groupings) {
    for (size_t i = 0; i < grouping.groups.size(); ++i) {
      rows.push_back(figures_of(report, grouping.figures[i]));
      rows.back().group = grouping.groups[i];
    }
  }
  return rows;
}

std::vector<NamedDisparity> disparities(const AuditReport& report) {
  std::vector<NamedDisparity> rows;
  for (const AuditGrouping& grouping : report.groupings) {
    const auto add = [&](const std::vector<Disparity>& found, const std::string& of_class) {
      for (const Disparity& one : found) {
        rows.push_back(
            {grouping.columns, one, of_class, extremes_in(grouping.groups, one, one.is_defined())});
      }
    };
    add(grouping.disparities, "");
    for (size_t k = 0; k < grouping.class_disparities.size(); ++k)
      add(grouping.class_disparities[k], report.classes[k]);
  }
  return rows;
}

ReleasedRates released_overall(const ReleasedAudit& audit) {
  return {{}, audit.figures->overall.metrics};
}

std::vector<ReleasedRates> released_groups(const ReleasedAudit& audit) {
  std::vector<ReleasedRates> rows;
  for (const AuditGrouping& grouping : audit.figures->groupings)
    for (size_t i = 0; i < grouping.groups.size(); ++i)
      rows.push_back({grouping.groups[i], grouping.figures[i].metrics});
  return rows;
}

std::vector<CostGapRow> cost_gaps(const AuditReport& report) {
  std::vector<CostGapRow> rows;
  for (const AuditGrouping& grouping : report.groupings)
    for (CostGapRow& gap : cost_gaps_of(costs_of(grouping), report.classes.size()))
      rows.push_back(std::move(gap));
  return rows;
}

std::vector<Json> explanations(const AuditReport& report) {
  std::vector<Json> looks;
  for (const AuditGrouping& grouping : report.groupings)
    if (grouping.risk) looks.push_back(explanation_to_json(grouping));
  return looks;
}

std::optional<Reference> reference(const AuditReport& report) {
  if (!report.reference_path) return std::nullopt;
  Reference result{*report.reference_path, {}, {}};
  if (report.overall.reference) result.overall = {{}, *report.overall.reference};
  for (const AuditGrouping& grouping : report.groupings)
    for (size_t i = 0; i < grouping.figures.size(); ++i)
      if (const std::optional<Metrics>& found = grouping.figures[i].reference)
        result.groups.push_back({grouping.groups[i], *found});
  return result;
}

std::vector<Constraint> constraints(const AuditReport& report) {
  std::vector<Constraint> all(report.thresholds.begin(), report.thresholds.end());
  append(all, report.constraints);
  return all;
}

std::string name_of(const AuditLimit& limit) {
  return fmt::format("{} of {}{} between groups by {}", limit.is_ratio ? "ratio" : "difference",
                     limit.metric, limit.of_class.empty() ? "" : " of " + limit.of_class,
                     columns_of(limit.columns));
}

}  // namespace audit_keys

nlohmann::ordered_json audit_to_json(const AuditReport& report) {
  if (report.release) {
    const audit_keys::ReleasedAudit audit{{*report.release}, &report};
    return report.release->is_plan
               ? document_of("audit --private --dry-run", audit, {Documents::kPlan})
               : document_of("audit --private", audit, {Documents::kReport});
  }
  return document_of("audit", report, {Documents::kReport, report.classes.size()},
                     confidential_notices("every figure is computed from records without noise"));
}

}  // namespace equinoise
