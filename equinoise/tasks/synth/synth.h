// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/base/progress.h"
#include "equinoise/data/dataset.h"
#include "equinoise/report/synth/synth_report.h"
#include "equinoise/tasks/synth/synth_request.h"

namespace equinoise {

/// The cost and the size of a run, from public facts alone: nothing is read but the schema, nothing
/// is spent. Errors: kInput (schema, workload), kUsage (configuration), kLedger.
SynthReport plan_synth(const SynthRequest& request);

/// Reads, plans, reserves the whole cost in the ledger, runs, draws rows, writes rows, model and
/// reports.
///
/// Guarantee: rows, model.json and everything in the report but what is marked are protected as the
/// plan says. Whatever can be checked is checked before the reservation; after it the cost stays
/// spent. Errors: as plan_synth; kBudget; kRuntime when the progress says that the run was
/// interrupted.
SynthReport synthesize(const SynthRequest& request, TaskProgress& progress);

struct SynthSetup;

/// The report of a request that is set up, as far as public facts go.
SynthReport begin_synth_report(const SynthSetup& setup, const SynthRequest& request);

/// The file of rows that synthesize() draws of a table in memory, under the request's test seed:
/// nothing is written or spent. NOT PRIVATE.
std::string synthesize_unpaid(const SynthRequest& request, SynthSetup setup, const Dataset& table,
                              TaskProgress& progress);

}  // namespace equinoise
