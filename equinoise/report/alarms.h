// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What must be read before anything else, in the first box of a page: that there is no guarantee,
/// and each constraint or limit that does not hold. Empty where all is well. Publishable: by the
/// private evaluation, or that there is none.
std::vector<std::string> publishable_alarms(const TrainingReport& report);

/// The same with the exact figures of held-out records. NOT PRIVATE.
std::vector<std::string> alarms_of(const TrainingReport& report);

/// Of an audit. NOT PRIVATE.
std::vector<std::string> alarms_of(const AuditReport& report);

/// Ends in an error that says which limits or constraints of the audit fail, if any do; if
/// `strict`, also which are unclear or not answerable, or that there are none. NOT PRIVATE. Errors:
/// kThreshold.
void require_limits(const AuditReport& report, bool strict);

/// The same of the constraints of a run, by its private evaluation, so that the error may be
/// published; by exact figures only where the model has no guarantee.
void require_limits(const TrainingReport& report, bool strict);

}  // namespace equinoise
