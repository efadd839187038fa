// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/group_json.h"

#include <algorithm>
#include <cmath>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/json.h"
#include "equinoise/report/json_reader.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

/// Calls `use(name, value)` for each figure of why a group loses.
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

Json holds_or_null(LimitVerdict verdict) {
  if (verdict == LimitVerdict::kHolds) return true;
  return verdict == LimitVerdict::kFails ? Json(false) : Json(nullptr);
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

Json labels_to_json(const std::vector<GroupLabel>& groups) {
  Json json = Json::array();
  for (const GroupLabel& group : groups) json.push_back(Json{{"group", to_json(group)}});
  return json;
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

Json to_json(const ConstraintCheck& check) {
  return {{"value", number_or_null(check.value.value)},
          {"interval", interval_to_json(check.value.interval)},
          {"verdict", to_string(check.verdict())},
          {"holds", holds_or_null(check.verdict())}};
}

ConstraintCheck read_check(const OrderedJsonSection& section) {
  ConstraintCheck check;
  check.value.value = read_number(section, "value");
  check.value.interval = read_interval(section, "interval");
  return check;
}

void add_members(Json& json, const ConstraintCheck& check, const FieldScope&) {
  json.update(to_json(check));
}

void read_members(const OrderedJsonSection& section, const FieldScope&,
                  std::optional<ConstraintCheck>& check) {
  if (section.has("value")) check = read_check(section);
}

void add_cost_gaps(const GroupCosts& groups, size_t num_classes, Json& json) {
  if (groups.costs.size() < 2) return;
  const auto add = [&](const char* name, Estimate Cost::*cost) {
    const CostGap gap = cost_gap(groups.costs, cost);
    Json& row = json.emplace_back(Json{{"columns", groups.columns}, {"cost", name}});
    row["gap"] = number_or_null(gap.gap.value);
    row["interval"] = interval_to_json(gap.gap.interval);
    row["left_out"] = Json::array();
    for (size_t i = 0; i < groups.costs.size(); ++i) {
      if (groups.costs[i].num_records == 0)
        row["left_out"].push_back(Json{{"group", to_json(groups.groups[i])}});
    }
    row["lowest"] = row["highest"] = nullptr;
    if (std::isnan(gap.gap.value)) return;
    row["lowest"]["group"] = to_json(groups.groups[gap.lowest]);
    row["highest"]["group"] = to_json(groups.groups[gap.highest]);
  };
  if (num_classes > 0) add("accuracy_cost", &Cost::accuracy);
  add("loss_cost", &Cost::loss);
}

}  // namespace equinoise
