// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/audit.h"

namespace equinoise {

/// The most groups (times classes, if several) for which there are curves of scores.
inline constexpr size_t kMaxGroupsWithCurves = 100;

/// An upper limit for the output about the groups of a request and so many constraints. `schema`:
/// of the table.
int64_t audit_bytes(const AuditRequest& request, const Schema& schema, size_t num_constraints);

/// Checks the folder of a request, if any, before the work. Errors: kUsage if it exists without
/// `force`; kRuntime if it cannot be written or the disk is full.
void check_audit_output(const AuditRequest& request, int64_t num_bytes);

/// Writes report.json and report.html to that folder, both or none, and lists them in the report.
/// Errors: as above.
void write_audit_output(const AuditRequest& request, int64_t num_bytes, TaskProgress& progress,
                        AuditReport& report);

}  // namespace equinoise
