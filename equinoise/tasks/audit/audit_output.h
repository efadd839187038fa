// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// Of more groups than this, times the classes of several, there are no curves of scores.
inline constexpr size_t kMaxGroupsWithCurves = 100;

/// Enough bytes for what is written about so many groups and constraints.
int64_t audit_bytes(size_t num_groups, size_t num_constraints, size_t num_classes);

/// Finds before the work what is wrong with the folder. Errors: kUsage if it exists without
/// `force`; kRuntime if it cannot be written or the disk is full.
void check_audit_output(const std::filesystem::path& out, bool force, int64_t num_bytes);

/// Writes report.json and report.html, both or none, and lists them in the report. Errors: as
/// above.
void write_audit_output(const std::filesystem::path& out, bool force, int64_t num_bytes,
                        AuditReport& report);

}  // namespace equinoise
