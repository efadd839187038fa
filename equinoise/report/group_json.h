// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/audit/excessive_risk.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/format.h"

namespace equinoise {

/// [low, high]
nlohmann::ordered_json interval_to_json(const Interval& value);

/// Null where it is unclear or not answerable.
nlohmann::ordered_json holds_or_null(LimitVerdict verdict);

/// "NAME" and "NAME_interval".
void add_estimate(nlohmann::ordered_json& json, const std::string& name, const Estimate& estimate);

/// The metrics of a target of so many classes, 0 for a number: what is undefined is null.
void add_metrics(nlohmann::ordered_json& json, const Metrics& metrics, size_t num_classes);

/// [{"group": ...}, ...]
nlohmann::ordered_json labels_to_json(const std::vector<GroupLabel>& groups);

/// What a group loses to a reference.
void add_cost(nlohmann::ordered_json& json, const Cost& cost, size_t num_classes);

/// Why a group loses. There is nothing to tell of one without records.
nlohmann::ordered_json risk_to_json(const GroupRisk& risk, const GroupLabel& group);

/// How a model keeps a constraint.
nlohmann::ordered_json check_to_json(const ConstraintCheck& check);

/// How unequally groups lose; nothing for less than two.
void add_cost_gaps(const GroupCosts& groups, size_t num_classes, nlohmann::ordered_json& json);

}  // namespace equinoise
