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
#include "equinoise/report/constraint_report.h"

namespace equinoise {

/// How predictions keep each constraint on the judged records, whose contexts are given, and how
/// the reference does, if there is one. `origin`: whose constraints they are.
std::vector<ConstraintReport> judge_constraints(const RateProgram& program,
                                                const std::string& origin,
                                                const EncodedTable& table,
                                                std::span<const GroupId> contexts,
                                                const Predictions& predictions,
                                                const std::optional<Predictions>& reference);

}  // namespace equinoise
