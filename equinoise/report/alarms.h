// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What must be read before anything else, in the first box of a page: that there is no guarantee,
/// and each constraint or limit that fails or is not answerable. Empty where all is well.
/// Publishable: by the private evaluation, or that there is none.
std::vector<std::string> publishable_alarms(const TrainingReport& report);

/// The same with the exact figures of held-out records. NOT PRIVATE.
std::vector<std::string> alarms_of(const TrainingReport& report);

/// Of an audit. NOT PRIVATE.
std::vector<std::string> alarms_of(const AuditReport& report);

}  // namespace equinoise
