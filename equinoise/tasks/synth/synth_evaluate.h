// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/audit/correlations.h"
#include "equinoise/audit/downstream_classifier.h"
#include "equinoise/audit/downstream_regression.h"
#include "equinoise/audit/marginal_errors.h"
#include "equinoise/audit/marginal_parity.h"
#include "equinoise/audit/means_parity.h"
#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/report/protection.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/tasks/input/shared_options.h"
#include "equinoise/tasks/synth/bin_options.h"

namespace equinoise {

/// The request of `equinoise synth evaluate`.
struct SynthEvaluateRequest {
  /// For domain.json the number of records is not needed. `target`, of any schema: the column that
  /// a classifier predicts, or a regression if it is numeric; "": none is trained. `missing`: with
  /// kFill a gap in marginals is what the schema fills it with, as in rows that were made so; else
  /// a value of its own.
  SchemaFile schema;
  TableSource real;
  TableSource synthetic;
  int degree = 3;
  std::vector<std::string> by;  ///< columns or group attributes that make groups; empty: none
  /// Also the parity error as printed, in which everybody counts so much; needs `by`.
  std::optional<double> parity_omega;
  std::string positive;            ///< class of the target; "": the second of two
  BinOptions bins;                 ///< of numeric columns
  std::string weight_column;       ///< what records count for, no column to compare; "": 1 each
  std::filesystem::path out_path;  ///< folder for the reports; empty: none
  bool force = false;              ///< replace files in an existing one
  std::string command;             ///< how the command was called, for the report
  int threads = 1;
};

inline RequestOptions options_of(SynthEvaluateRequest& request) {
  using Option = RequestOption;
  return joined(
      {domain_options(
           request.schema,
           "Column for a classifier, or a regression if it is numeric, that is trained on "
           "the synthetic rows and tested on the real ones"),
       bin_options(request.bins, std::to_string(kUsualBins)),
       missing_options(request.schema, {MissingUse::kKeep, MissingUse::kFill}),
       {{{.name = "real",
          .help = "Table of real records (CSV, ARFF, JSON, Parquet)",
          .is_required = true},
         Option::Table{&request.real, &request.schema.table}},
        {{.name = "synthetic", .help = "Table of synthetic rows", .is_required = true},
         Option::Table{&request.synthetic}},
        {{.name = "degree",
          .is_common = true,
          .help = "Columns of the largest marginals, fewer where there were above a million"},
         &request.degree},
        {{.name = "by",
          .is_common = true,
          .help = "Columns or group attributes whose groups are compared as well"},
         Option::Names{&request.by}},
        {{.name = "parity_omega",
          .help = "Also report the parity error of [RosenblattStoyanovichMusco2024, Def. 10] with "
                  "this weight",
          .range = positive(),
          .derived = "only the mean over everybody and the groups",
          .needs = "by"},
         &request.parity_omega},
        {{.name = "positive",
          .is_common = true,
          .help = "Positive class of --target",
          .derived = "the second of two"},
         &request.positive}},
       weight_options(request.weight_column, "; synthetic rows count by theirs, if any"),
       {{{.name = "out",
          .is_common = true,
          .help = "Folder for report.json, report.html and errors.csv"},
         &request.out_path},
        {{.name = "force", .help = "Replace files in an existing --out"}, &request.force}}});
}

/// How far yardsticks are from the real mean of a column, relative as errors of means are. Empty:
/// of no records, or no such half.
struct MeanYardsticks {
  std::vector<std::optional<double>> bootstrap;    ///< (groups + 1), the last of everybody
  std::vector<std::optional<double>> second_half;  ///< one half less the other
};

/// How the errors of synthetic rows differ between groups. NOT PRIVATE.
struct SynthParity {
  std::vector<std::string> by;
  std::optional<double> omega;  ///< that the printed parity error is reported with
  std::vector<GroupLabel> groups;
  std::vector<int64_t> num_real;                      ///< (groups)
  std::vector<int64_t> num_synthetic;                 ///< (groups)
  std::optional<MeansParity> means;                   ///< of numeric columns, where there are any
  std::vector<GroupMeans> real_means;                 ///< (columns of `means`)
  std::vector<GroupMeans> synthetic_means;            ///< (columns of `means`)
  std::vector<std::optional<MarginalErrors>> errors;  ///< (groups)
  MarginalParity marginals;
  /// (columns of `means`) Relative errors of yardsticks, on the same scale.
  std::vector<MeanYardsticks> mean_yardsticks;
};

/// Correlations of numeric columns. NOT PRIVATE.
struct SynthCorrelations {
  std::vector<std::string> columns;
  /// What is off from the real records, or one half of them from the other.
  struct Errors {
    CorrelationError synthetic;
    double bootstrap_mean = 0;  ///< means of kNumBootstraps
    double bootstrap_largest = 0;
    CorrelationError second_half;
    /// Real records that have both numbers: of the pair of which fewest have, and of the one that
    /// is farthest off, among those compared. Empty where none is.
    std::optional<int64_t> fewest_records;
    std::optional<int64_t> records_of_largest;
  };
  std::vector<Errors> groups;  ///< as in SynthParity, or none
  Errors everybody;
  PairCorrelations real;  ///< everybody's
  PairCorrelations synthetic;

  /// The columns of a pair.
  std::pair<std::string, std::string> pair(size_t place) const;
};

/// A figure of one thing, as it is learnt from synthetic rows and from yardsticks.
template <typename Learnt>
struct LearntFrom {
  Learnt synthetic;    ///< trained on the synthetic rows, tested on the real records
  Learnt bootstrap;    ///< trained on one bootstrap of the real records, tested on them
  Learnt second_half;  ///< trained on one random half of the real records, tested on the other
};

/// The records that something is learnt from: those with a value of the target.
struct LearntRecords {
  int64_t num_trained = 0;  ///< synthetic rows
  bool has_gaps = false;    ///< others may have none and are left out
  /// Features of which cells may be missing, and what these count as: a model needs a number.
  std::vector<std::pair<std::string, std::string>> fills;
};

/// How a classifier does that was trained on the synthetic rows. NOT PRIVATE.
struct SynthClassifier {
  std::string target;
  LearntRecords records;
  std::string positive;
  LearntFrom<DownstreamClassifier> results;  ///< groups as in SynthParity, or none
};

/// How a regression does that was trained on the synthetic rows. NOT PRIVATE.
struct SynthRegression {
  std::string target;
  LearntRecords records;
  std::string unit;                          ///< of the target as cells write it; "": its own
  LearntFrom<DownstreamRegression> results;  ///< groups as in SynthParity, or none
};

/// How far marginals of a synthetic table are from those of the real one. NOT PRIVATE.
struct SynthEvaluateReport {
  std::vector<std::string> columns;               ///< those that are compared
  MarginalErrors errors;                          ///< of all records
  int degree = 0;                                 ///< that asked for, or the most there can be
  int64_t num_marginals = 0;                      ///< of that degree
  std::optional<SynthParity> parity;              ///< with `by`
  std::optional<SynthCorrelations> correlations;  ///< of two numeric columns or more
  std::optional<SynthClassifier> classifier;      ///< with a categorical target
  std::optional<SynthRegression> regression;      ///< with a numeric target
  ProtectedUnit unit;    ///< of the real table, of whose rows those that count are compared
  int64_t num_real = 0;  ///< records, rows also where these are not units
  int64_t num_synthetic = 0;
  int64_t num_read = 0;                ///< real records, also those that rules for other cells drop
  int64_t num_complete = 0;            ///< of them, those without a missing cell
  bool synthetic_has_weights = false;  ///< the rows have the column of weights, too
  std::vector<std::string> ingest_notes;
  double seconds = 0;
  std::vector<std::string> files;  ///< that were written
};

/// Reads both tables by the schema, but that a missing cell is no number and no class, whatever
/// that fills it with, and drops its record from what is about its column alone, and compares all
/// marginals of up to so many columns, also group by group, means of numeric columns, their
/// correlations, and what a classifier or a regression learns from the synthetic rows, each next to
/// what a bootstrap and a second half of the real records give (audit/yardsticks.h). With weights
/// all of it is of real records by their weights, and of synthetic rows by theirs, if they have the
/// column; records of weight 0 or none count for nothing. With an output folder the report is
/// written there (synth_evaluate_output.h). Errors: kInput (schema, tables), kUsage (degree, bins,
/// groups, target, weights, folder), kRuntime (folder).
SynthEvaluateReport evaluate_synthetic(const SynthEvaluateRequest& request, TaskProgress& progress);

}  // namespace equinoise
