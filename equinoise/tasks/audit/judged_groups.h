// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/groups/grouping.h"
#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// The metrics of one grouping, the disparities between its groups, and their loss against the
/// reference, if there is one; curves for at most kMaxGroupsWithCurves groups or, for several
/// classes, groups times classes.
AuditGrouping judge_groups(const Grouping& grouping, const EncodedTable& table,
                           const Predictions& predictions,
                           const std::optional<Predictions>& reference, const Metrics& overall,
                           ScoreKind kind = ScoreKind::kProbabilities);

}  // namespace equinoise
