// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/tasks/audit/audit_limits.h"

namespace equinoise {

/// The request of `equinoise audit`.
struct AuditRequest {
  std::filesystem::path model_path;  ///< model.json or its folder
  TableSource data;
  std::filesystem::path labels_path;                ///< for a table of images; see TableFiles
  TableOptions table;                               ///< the layout of the table
  std::vector<std::vector<std::string>> groupings;  ///< each: the columns of one grouping
  GroupFloor floor;
  bool held_out_only = false;            ///< only the records that the model's own split held out
  std::string weight_column;             ///< column of records' weights; "": 1 each
  std::filesystem::path reference_path;  ///< another model to compare with; empty: none
  std::filesystem::path schema_path;     ///< another schema for the table; empty: the model's own
  std::vector<GroupLimit> limits;        ///< on differences, for every grouping
  std::vector<GroupLimit> ratios;        ///< on ratios, likewise
  std::string favourable;                ///< the class that is good for a person; "": the schema's
  std::vector<std::string>
      constraints;  ///< to check, one line each, in addition to those of training
  std::filesystem::path constraints_path;  ///< more of them in a file; empty: none
  bool explain = false;                    ///< also explain why groups lose, see ExcessiveRisk
  size_t explain_directions = 100;         ///< for the estimates of traces
  int threads = 1;                         ///< for predictions and explanations
  std::filesystem::path out_path;          ///< folder for the report; empty: write nothing
  bool force = false;
  std::string command;  ///< the command that repeats the audit
};

/// Evaluates a saved model on a table's records: metrics overall and by group, disparities between
/// groups, the loss against the reference model, limits, the constraints of its training and
/// others, all weighted by the records' weights, if any. Writes the report.
///
/// Not private. Records whose weight is 0 or missing are left out. With a reference, records that a
/// rule of either schema drops are left out for both. Errors: kUsage (unknown metric or group
/// column, a metric that the model does not have, a limit that is out of range, limits without
/// groups, something given twice, an invalid constraint, nothing held out, a column that cannot be
/// weights, weights with `explain`, out_path exists); kInput (models, schema, table; a schema that
/// encodes records otherwise than the model's; a reference for another target); kRuntime (disk).
/// Limits that do not hold are no error: see report/alarms.h.
AuditReport audit(const AuditRequest& request, TaskProgress& progress);

}  // namespace equinoise
