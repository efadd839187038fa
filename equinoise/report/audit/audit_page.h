// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// What an audit tells its owner: the page and the screen. CONTAINS NON-PRIVATE STATISTICS.
Document audit_document(const AuditReport& report);

}  // namespace equinoise
