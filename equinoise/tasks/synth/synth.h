// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/base/progress.h"
#include "equinoise/data/dataset.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/synth/synthesizer.h"
#include "equinoise/tasks/synth/synth_request.h"

namespace equinoise {

/// A round as it is told.
struct SynthRoundReport {
  std::string stratum;  ///< "": everybody
  std::vector<std::string> columns;
  SynthRound round;
};

/// A stratum as it is told.
struct SynthStratumReport {
  GroupLabel group;
  std::optional<int64_t> public_size;
  std::optional<double> weight;  ///< share of rows; empty before it is known
  std::optional<Guarantee> privacy;
  size_t num_columns = 0;
  std::optional<size_t> num_measured;  ///< columns that it asks about next to a shared model
  std::optional<double> noise_error;   ///< see stratum_noise_error(); empty: no public size, or 0
  std::vector<std::pair<std::string, double>> settings;  ///< that not all strata have in common
};

/// Everything that `equinoise synth` tells. Publishable but for ingest_notes and seconds.
struct SynthReport {
  std::string version;
  std::string dataset;
  std::string method;
  std::string source;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;  ///< kNotPrivate: also of an unreviewed schema
  std::optional<Guarantee> privacy;
  std::optional<Protection> protection;  ///< what that is; empty: nothing is protected
  double rho = 0;
  std::vector<Event> events;
  std::vector<std::pair<std::string, double>> settings;  ///< of all strata
  double least_megabytes = 0;                            ///< of one model at first
  double most_megabytes = 0;                             ///< of one model at most
  std::optional<LedgerStatement> ledger;
  std::vector<SynthStratumReport> strata;  ///< empty without --stratify
  std::vector<SynthRoundReport> rounds;
  int64_t num_rows = 0;
  double model_megabytes = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> ingest_notes;  ///< not private
  double seconds = 0;                     ///< not private
  std::vector<std::string> files;
  std::string command;
};

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
