// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "equinoise/base/progress.h"
#include "equinoise/tasks/audit/audit_limits.h"
#include "equinoise/tasks/audit/logged_table.h"

namespace equinoise {

/// The request of `equinoise audit --predictions`.
struct PredictionsAuditRequest {
  LoggedTableRequest table;
  AuditLimits limits;
  std::string favourable;          ///< the class that is good for a person; "": the schema's
  std::filesystem::path out_path;  ///< folder for the report; empty: write nothing
  bool force = false;
  std::string command;  ///< the command that repeats the audit
};

/// Evaluates predictions from any source that are in a table with the outcomes: the metrics of
/// `audit` overall and by group, disparities, curves of scores, limits and constraints. Writes the
/// report.
///
/// Not private: exact figures of the table. Errors: kUsage (as of describe_logged and check_limits;
/// out_path exists); kInput (schema, table); kRuntime (disk). Limits that do not hold are no error:
/// see report/alarms.h.
AuditReport audit_predictions(const PredictionsAuditRequest& request, TaskProgress& progress);

}  // namespace equinoise
