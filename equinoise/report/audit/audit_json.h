// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "equinoise/report/audit/audit_report.h"

namespace equinoise {

/// The output of `equinoise audit` and its report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json audit_to_json(const AuditReport& report);

}  // namespace equinoise
