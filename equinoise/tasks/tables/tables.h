// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/report/tables/tables_report.h"
#include "equinoise/tasks/tables/tables_request.h"

namespace equinoise {

/// The cost and the noise to be expected, from the schema; no table is read, nothing is spent.
/// Errors: kInput (schema), kUsage (request), kLedger (a ledger that exists and is broken).
TablesReport plan_tables(const TablesRequest& request);

/// Reads, plans, reserves the whole cost in the ledger, releases.
///
/// A record counts as for `means`: in each column in which it has a value, if its stratum is known.
/// Guarantee: everything in the report is a release that the ledger's entry pays for, follows from
/// such releases, or is public. Figures are hidden by public facts alone, so the intervals of those
/// that are shown hold as they are. Nothing is spent before everything that can be checked has
/// been. Errors: as plan_tables; kInput for the table; kBudget.
TablesReport release_tables(const TablesRequest& request, TaskProgress& progress);

}  // namespace equinoise
