// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/group_json.h"

#include <cmath>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/json.h"
#include "equinoise/report/json_reader.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

/// Calls `use(name, value)` for each figure of the reasons why a group loses.
template <typename Risk, typename Use>
void each_figure(Risk& risk, const Use& use) {
  use("loss", risk.loss);
  use("non_private_change", risk.non_private_change);
  use("clip", risk.clip);
  use("magnitude", risk.magnitude);
  use("direction", risk.direction);
  use("direction_first", risk.direction_first);
  use("magnitude_last", risk.magnitude_last);
  use("noise", risk.noise);
  use("gradient_norm", risk.gradient_norm);
  use("cos_unclipped", risk.cos_unclipped);
  use("cos_clipped", risk.cos_clipped);
  use("hessian_trace", risk.hessian_trace.value);
  use("hessian_trace_standard_error", risk.hessian_trace.standard_error);
  use("hessian_largest_eigenvalue", risk.eigenvalues.largest);
  use("hessian_smallest_eigenvalue", risk.eigenvalues.smallest);
}

}  // namespace

Json interval_to_json(const Interval& value) {
  return {number_or_null(value.low), number_or_null(value.high)};
}

void add_estimate(Json& json, const std::string& name, const Estimate& estimate) {
  json[name] = number_or_null(estimate.value);
  json[name + "_interval"] = interval_to_json(estimate.interval);
}

void add_members(Json& json, const Metrics& metrics, const FieldScope& scope) {
  json["num_records"] = metrics.num_records;
  for (const MetricRow& row : metric_rows())
    if (row.fits(scope.num_classes))
      add_estimate(json, std::string(row.name), metrics.*row.estimate);
}

void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<Metrics>& metrics) {
  if (!section.has("num_records")) return;
  metrics.emplace().num_records = read_count(section, "num_records");
  for (const MetricRow& row : metric_rows())
    if (row.fits(scope.num_classes))
      (*metrics).*row.estimate = read_estimate(section, std::string(row.name));
}

void add_members(Json& json, const ClassMetrics& of_class, const FieldScope&) {
  for (const MetricRow& row : metric_rows())
    if (row.of_classes) add_estimate(json, std::string(row.name), of_class.metrics.*row.estimate);
}

void add_members(Json& json, const Cost& cost, const FieldScope& scope) {
  if (scope.num_classes > 0) add_estimate(json, "accuracy_cost", cost.accuracy);
  add_estimate(json, "loss_cost", cost.loss);
}

void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<Cost>& cost) {
  if (!section.has("loss_cost")) return;
  cost.emplace().loss = read_estimate(section, "loss_cost");
  if (scope.num_classes > 0) cost->accuracy = read_estimate(section, "accuracy_cost");
}

Json risk_to_json(const GroupRisk& risk, const GroupLabel& group) {
  Json json = {{"group", to_json(group)}, {"num_records", risk.num_records}};
  each_figure(risk, [&](const char* name, double value) {
    json[name] = risk.num_records == 0 ? Json(nullptr) : number_or_null(value);
  });
  return json;
}

GroupRisk read_risk(const OrderedJsonSection& section) {
  GroupRisk risk;
  risk.num_records = read_count(section, "num_records");
  each_figure(risk, [&](const char* name, double& value) { value = read_number(section, name); });
  return risk;
}

std::vector<CostGapRow> cost_gaps_of(const GroupCosts& groups, size_t num_classes) {
  std::vector<CostGapRow> gaps;
  if (groups.costs.size() < 2) return gaps;
  std::vector<std::string> columns;
  for (const auto& [column, value] : groups.groups.front()) columns.push_back(column);
  const auto add = [&](std::string_view name, Estimate Cost::*cost) {
    const CostGap found = cost_gap(groups.costs, cost);
    gaps.push_back({columns, name, found.gap,
                    extremes_in(groups.groups, found, !std::isnan(found.gap.value))});
  };
  if (num_classes > 0) add("accuracy_cost", &Cost::accuracy);
  add("loss_cost", &Cost::loss);
  return gaps;
}

}  // namespace equinoise
