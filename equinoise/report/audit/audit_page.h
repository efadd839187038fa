// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// The report of an audit: page and screen. CONTAINS NON-PRIVATE STATISTICS.
Document audit_document(const AuditReport& report);

}  // namespace equinoise
