// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/audit.h"

namespace equinoise {

/// Evaluates predictions from any source that are in a table with the outcomes: the metrics of
/// `audit` overall and by group, disparities, curves of scores, limits and constraints. Writes the
/// report.
///
/// Not private: exact figures of the table. Errors: kUsage (as of describe_logged and check_limits;
/// out_path exists); kInput (schema, table); kRuntime (disk). Limits that do not hold are no error:
/// see report/alarms.h.
AuditReport audit_predictions(const AuditRequest& request, TaskProgress& progress);

}  // namespace equinoise
