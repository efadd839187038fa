// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/audit/excessive_risk.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/format.h"

namespace equinoise {

/// [low, high]
nlohmann::ordered_json interval_to_json(const Interval& value);

/// Null where it is unclear or not answerable.
nlohmann::ordered_json holds_or_null(LimitVerdict verdict);

/// "NAME" and "NAME_interval".
void add_estimate(nlohmann::ordered_json& json, const std::string& name, const Estimate& estimate);

/// Figures of records among the members of an object, those that fit the target; what is undefined
/// is null. Read from an object that has some.
void add_members(nlohmann::ordered_json& json, const Metrics& metrics, const FieldScope& scope);
void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<Metrics>& metrics);

/// [{"group": ...}, ...]
nlohmann::ordered_json labels_to_json(const std::vector<GroupLabel>& groups);

/// The cost of a group, likewise, without its number of records.
void add_members(nlohmann::ordered_json& json, const Cost& cost, const FieldScope& scope);
void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<Cost>& cost);

/// Why a group loses. There is nothing to tell of one without records.
nlohmann::ordered_json risk_to_json(const GroupRisk& risk, const GroupLabel& group);
GroupRisk read_risk(const OrderedJsonSection& section);

/// A check of a constraint without its slack.
nlohmann::ordered_json to_json(const ConstraintCheck& check);
ConstraintCheck read_check(const OrderedJsonSection& section);
void add_members(nlohmann::ordered_json& json, const ConstraintCheck& check,
                 const FieldScope& scope);
void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<ConstraintCheck>& check);

/// How unequally groups lose; nothing for less than two.
void add_cost_gaps(const GroupCosts& groups, size_t num_classes, nlohmann::ordered_json& json);

}  // namespace equinoise
