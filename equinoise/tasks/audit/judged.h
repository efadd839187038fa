// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The evaluated records and the predictions for them.
struct JudgedTable {
  const EncodedTable& table;
  const Predictions& predictions;
  const Predictions* reference = nullptr;  ///< the other model's, if there is one
  ScoreKind kind = ScoreKind::kProbabilities;
};

/// The figures of all records.
AuditedRecords judge_all(const JudgedTable& judged);

/// The figures of one grouping and the disparities between its groups; curves for at most
/// kMaxGroupsWithCurves groups or, for several classes, groups times classes.
AuditGrouping judge_groups(const JudgedTable& judged, const Grouping& grouping,
                           const Metrics& overall);

/// The values of each constraint on the records, whose contexts are given. `origin`: the source of
/// the constraints.
std::vector<ConstraintReport> judge_constraints(const JudgedTable& judged,
                                                const RateProgram& program,
                                                const std::string& origin,
                                                std::span<const GroupId> contexts);

}  // namespace equinoise
