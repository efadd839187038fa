// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/audit/excessive_risk.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_extremes.h"

namespace equinoise {

/// [low, high]
nlohmann::ordered_json interval_to_json(const Interval& value);

/// "NAME" and "NAME_interval".
void add_estimate(nlohmann::ordered_json& json, const std::string& name, const Estimate& estimate);

/// Writes the figures of records that apply to the target as members of an object; undefined ones
/// are null. Reads them from an object that has some.
void add_members(nlohmann::ordered_json& json, const Metrics& metrics, const FieldScope& scope);
void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<Metrics>& metrics);

/// The figures of one class of several, against the rest.
struct ClassMetrics {
  Metrics metrics;
};
void add_members(nlohmann::ordered_json& json, const ClassMetrics& of_class,
                 const FieldScope& scope);

/// The cost of a group in the same way, without its number of records.
void add_members(nlohmann::ordered_json& json, const Cost& cost, const FieldScope& scope);
void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<Cost>& cost);

/// The reasons why a group loses. null for a group without records.
nlohmann::ordered_json risk_to_json(const GroupRisk& risk, const GroupLabel& group);
GroupRisk read_risk(const OrderedJsonSection& section);

/// The inequality of the losses of a grouping's groups.
struct CostGapRow {
  std::vector<std::string> columns;
  std::string_view cost;
  Estimate gap;
  GroupExtremes groups;
};

template <>
inline constexpr auto fields_of<CostGapRow> =
    std::tuple(field("columns", &CostGapRow::columns, "Columns of the grouping"),
               field("cost", &CostGapRow::cost, "accuracy_cost or loss_cost"),
               field("gap", &CostGapRow::gap, "Most that a group loses less the least"),
               members(&CostGapRow::groups, "Groups that lose least and most"));

/// One row for each cost; empty for less than two groups.
std::vector<CostGapRow> cost_gaps_of(const GroupCosts& groups, size_t num_classes);

}  // namespace equinoise
