// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/encoder.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/model.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/constraint_report.h"

namespace equinoise {

/// The figures of all records.
AuditedRecords judge_all(const EncodedTable& table, const Predictions& predictions,
                         const std::optional<Predictions>& reference,
                         ScoreKind kind = ScoreKind::kProbabilities);

/// The figures of one grouping and the disparities between its groups; curves for at most
/// kMaxGroupsWithCurves groups or, for several classes, groups times classes.
AuditGrouping judge_groups(const Grouping& grouping, const EncodedTable& table,
                           const Predictions& predictions,
                           const std::optional<Predictions>& reference, const Metrics& overall,
                           ScoreKind kind = ScoreKind::kProbabilities);

/// The values of each constraint on the evaluated records, whose contexts are given, and those of
/// the reference, if there is one. `origin`: the source of the constraints.
std::vector<ConstraintReport> judge_constraints(const RateProgram& program,
                                                const std::string& origin,
                                                const EncodedTable& table,
                                                std::span<const GroupId> contexts,
                                                const Predictions& predictions,
                                                const std::optional<Predictions>& reference);

}  // namespace equinoise
