// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// The result of an audit for terminals: a table by group, overall last, how far apart the groups
/// are, thresholds. NOT PUBLISHABLE.
std::string audit_to_text(const AuditReport& report);

}  // namespace equinoise
