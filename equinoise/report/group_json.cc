// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/group_json.h"

#include <algorithm>
#include <cmath>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/json.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

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

void add_metrics(Json& json, const Metrics& metrics, size_t num_classes) {
  json["num_records"] = metrics.num_records;
  for (const MetricRow& row : metric_rows())
    if (row.fits(num_classes)) add_estimate(json, std::string(row.name), metrics.*row.estimate);
}

Json labels_to_json(const std::vector<GroupLabel>& groups) {
  Json json = Json::array();
  for (const GroupLabel& group : groups) json.push_back(Json{{"group", to_json(group)}});
  return json;
}

void add_cost(Json& json, const Cost& cost, size_t num_classes) {
  if (num_classes > 0) add_estimate(json, "accuracy_cost", cost.accuracy);
  add_estimate(json, "loss_cost", cost.loss);
}

Json risk_to_json(const GroupRisk& risk, const GroupLabel& group) {
  const auto told = [&](double value) {
    return risk.num_records == 0 ? Json(nullptr) : number_or_null(value);
  };
  return {{"group", to_json(group)},
          {"num_records", risk.num_records},
          {"loss", told(risk.loss)},
          {"non_private_change", told(risk.non_private_change)},
          {"clip", told(risk.clip)},
          {"magnitude", told(risk.magnitude)},
          {"direction", told(risk.direction)},
          {"direction_first", told(risk.direction_first)},
          {"magnitude_last", told(risk.magnitude_last)},
          {"noise", told(risk.noise)},
          {"gradient_norm", told(risk.gradient_norm)},
          {"cos_unclipped", told(risk.cos_unclipped)},
          {"cos_clipped", told(risk.cos_clipped)},
          {"hessian_trace", told(risk.hessian_trace.value)},
          {"hessian_trace_standard_error", told(risk.hessian_trace.standard_error)},
          {"hessian_largest_eigenvalue", told(risk.eigenvalues.largest)},
          {"hessian_smallest_eigenvalue", told(risk.eigenvalues.smallest)}};
}

Json check_to_json(const ConstraintCheck& check) {
  return {{"value", number_or_null(check.value.value)},
          {"interval", interval_to_json(check.value.interval)},
          {"verdict", to_string(check.verdict())},
          {"holds", holds_or_null(check.verdict())}};
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
