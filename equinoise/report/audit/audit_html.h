// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// report.html of `equinoise audit`. CONTAINS NON-PRIVATE STATISTICS throughout.
std::string audit_to_html(const AuditReport& report);

}  // namespace equinoise
