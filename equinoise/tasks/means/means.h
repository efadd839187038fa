// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/tasks/means/means_request.h"

namespace equinoise {

/// The cost and the noise to be expected, from the schema and from weights: of the table whose
/// means are asked for nothing is read, nothing is spent. Errors: kInput (schema), kUsage
/// (request), kLedger (a ledger that exists and is broken).
MeansReport plan_means_task(const MeansRequest& request);

/// Reads, plans, reserves the whole cost in the ledger, releases.
///
/// A record counts for a column if its stratum is known and it has a value there, or a missing cell
/// that the schema fills, whatever rules of other columns say; with a column of weights by its
/// weight, and for nothing where that is missing. Guarantee: everything in the report but
/// `explanation` and `seconds` is a release that the ledger's entry pays for, or public. Strata
/// that contradict the records (more, fewer or no records of a stratum than declared, records of a
/// stratum of size 0) follow the rule of MeansQuestion and are reported only in the explanation.
/// Nothing is spent before everything that can be checked has been. Errors: as plan_means_task;
/// kInput for the table; kBudget.
MeansReport release_means_task(const MeansRequest& request, TaskProgress& progress);

struct MeansSetup;
struct MeanRecords;

/// The report of a request that is set up, as far as public facts go.
MeansReport begin_means_report(const MeansSetup& setup, const MeansRequest& request);

/// Does what release_means_task() does, for records in memory and under the request's test seed:
/// nothing is written or spent. NOT PRIVATE.
MeansReport release_unpaid_means(const MeansRequest& request, const MeansSetup& setup,
                                 const MeanRecords& records);

}  // namespace equinoise
