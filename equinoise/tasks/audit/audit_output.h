// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/audit.h"

namespace equinoise {

/// The most groups (times classes, if several) for which there are curves of scores.
inline constexpr size_t kMaxGroupsWithCurves = 100;

/// The folder of a request, if it names one.
class AuditOutput {
 public:
  /// Checks the folder before the work; `schema`: of the table. Errors: kUsage if it exists without
  /// `force`, or is that of a model; kRuntime if it cannot be written or the disk has no room for
  /// groups and constraints.
  AuditOutput(const AuditRequest& request, const Schema& schema, size_t num_constraints);

  /// Writes report.json and report.html, both or none, and lists them in the report. Errors: as
  /// above.
  void write(TaskProgress& progress, AuditReport& report) const;

 private:
  const AuditRequest& request_;
  int64_t num_bytes_;
};

}  // namespace equinoise
