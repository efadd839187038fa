// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The alarms in the first box of a page: that there is no guarantee, and each constraint or limit
/// that does not hold. Empty if there are none. Publishable: constraints are those of the private
/// evaluation, or the alarm is that there is none.
std::vector<std::string> publishable_alarms(const TrainingReport& report);

/// The same, and constraints that miss by the exact figures of held-out records alone. NOT PRIVATE.
std::vector<std::string> alarms_of(const TrainingReport& report);

/// The alarms of an audit. NOT PRIVATE.
std::vector<std::string> alarms_of(const AuditReport& report);

/// Throws an error that names the limits and constraints of the audit that fail, if any; if
/// `strict`, also those that are unclear or not answerable, or that there are none. NOT PRIVATE.
/// Errors: kThreshold.
void require_limits(const AuditReport& report, bool strict);

/// The same for the constraints of a run, by its private evaluation, so that the error may be
/// published; by exact figures only if the model has no guarantee.
void require_limits(const TrainingReport& report, bool strict);

}  // namespace equinoise
