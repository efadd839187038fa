// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The groups of an audit, then the overall row. NOT PRIVATE.
TextTable audit_table(const AuditReport& report, const AuditGrouping& grouping);

/// How far apart the groups of an audit are. NOT PRIVATE.
TextTable disparity_table(const AuditGrouping& grouping);

/// Why the groups of an audit lose: the effect of a step of training on each one's loss, by causes.
/// NOT PRIVATE.
TextTable explanation_table(const AuditGrouping& grouping);

/// Which step an audit explains, and whether it is so long that the second order is no guide.
std::string explained_line(const AuditGrouping& grouping);

/// The gradients and Hessians of that step. NOT PRIVATE.
TextTable gradient_table(const AuditGrouping& grouping);

/// The limits of an audit and whether they hold. NOT PRIVATE.
TextTable threshold_table(const AuditReport& report);

/// How the audited model keeps those that it was trained under and those asked for. NOT PRIVATE.
TextTable constraints_table(const AuditReport& report);

}  // namespace equinoise
