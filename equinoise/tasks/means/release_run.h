// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/report/release_report.h"
#include "equinoise/tasks/input/paid_run.h"
#include "equinoise/tasks/means/means_request.h"
#include "equinoise/tasks/means/means_setup.h"

namespace equinoise {

// Functions that describe, pay for and draw a release of figures of strata, whatever its figures
// are.

/// The part of a report that follows from public facts.
ReleaseReport begin_release(const MeansSetup& setup, const MeansRequest& request);

/// Refers to both. `purpose`: in the ledger.
Purchase purchase_of(const MeansSetup& setup, const MeansRequest& request, std::string purpose);

/// Adds the ledger's answer, or how to open one, to the report of a plan.
void add_planned_cost(const MeansSetup& setup, const MeansRequest& request,
                      const std::string& purpose, ReleaseReport& report);

/// Reserves the cost, or takes the test seed; the account in the report follows. Errors:
/// pay_for_run.
PaidRun pay_for_release(MeansSetup& setup, const MeansRequest& request, const Purchase& purchase,
                        ReleaseReport& report, TaskProgress& progress);

/// (num_strata)
std::vector<Charge> charges_of(Charge charge, const MeansSetup& setup);

}  // namespace equinoise
