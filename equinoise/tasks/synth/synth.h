// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/method_status.h"
#include "equinoise/base/option_value.h"
#include "equinoise/base/progress.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/synthesizer.h"
#include "equinoise/tasks/synth/row_file.h"

namespace equinoise {

/// How models of strata are made.
enum class StrataForm {
  kShared,       ///< from one model of the whole table, to which what strata measure is added
  kIndependent,  ///< each from its own records alone
};
inline constexpr EnumWords<StrataForm, 2> kStrataForms = {
    {{StrataForm::kShared, "shared"}, {StrataForm::kIndependent, "independent"}}};

/// What `equinoise synth` is asked for.
struct SynthRequest {
  SchemaFile schema;         ///< its `missing`: kFill, kKeep or nothing
  bool public_data = false;  ///< let a schema pass that was drafted from the data; NOT PRIVATE
  TableSource data;
  std::string method = "swift";
  double epsilon = 0;
  double delta = kDefaultDelta;
  Relation relation = Relation::kZeroOut;
  std::filesystem::path zeros_path;  ///< declared impossible combinations; "": none
  SynthConfig config;                ///< without relation, rho, workload and the model's room
  std::optional<double> max_model_megabytes;  ///< [the method's]
  double max_table_megabytes = 512;           ///< see SynthRecords
  BinOptions bins;
  bool drop_incomplete = false;  ///< rows may lack people of whom a cell is missing
  /// Of rho, for how numbers are spread between their bounds; 0: bins of equal width, within which
  /// numbers are spread evenly. Empty: 0.02 for each column that has such numbers, at most 0.1.
  std::optional<double> number_share;
  /// Columns whose bins hold equally many also where equal widths would spread numbers nearly as
  /// well.
  std::vector<std::string> quantile_columns;
  std::optional<int64_t> num_rows;  ///< [the public or the released number of records]
  RowDraw draw = RowDraw::kRound;
  RowFormat format = RowFormat::kCsv;
  std::vector<std::string> stratify;  ///< columns or group attributes; empty: one model
  /// Independent strata that are publicly smaller share one model; where strata share a model
  /// anyway they measure nothing of their own [what noise would hide].
  int64_t min_stratum = 0;
  std::optional<StrataForm> strata;               ///< [shared where sizes and method allow it]
  double shared_share = 0.6;                      ///< of rho, for the shared model
  std::map<std::string, double> stratum_weights;  ///< by name, public; [public sizes, or released]
  std::filesystem::path ledger_path = "equinoise.ledger";
  std::string ledger_key;
  std::filesystem::path out_path;
  bool force = false;
  std::optional<uint64_t> insecure_seed;
  std::string command;
  std::vector<Setting> asked;  ///< the same by names of options, for the run file
};

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
