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
  std::string favourable;          ///< the class that is good for a person; "": of the schema
  std::filesystem::path out_path;  ///< folder for the report; empty: write nothing
  bool force = false;
  std::string command;  ///< how to repeat it
};

/// Judges predictions that stand in a table next to what happened, whoever made them: the metrics
/// of `audit` overall and by group, disparities, curves of scores, limits and constraints; writes
/// the report.
///
/// Not private: exact figures of the table. Errors: kUsage (as of describe_logged and check_limits;
/// out_path exists); kInput (schema, table); kRuntime (disk). Limits that do not hold are no error:
/// see report/alarms.h.
AuditReport audit_predictions(const PredictionsAuditRequest& request, TaskProgress& progress);

}  // namespace equinoise
