// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "equinoise/tasks/input/shared_options.h"
#include "equinoise/tasks/synth/bin_options.h"

namespace equinoise {

/// The request of `equinoise synth evaluate`.
struct SynthEvaluateRequest {
  /// The schema; in a domain.json the number of records is not needed. `target`, of any schema: the
  /// column that a classifier predicts, or a regression if it is numeric; "": the schema's, unless
  /// it has several classes and none is favourable; "none": none is trained. `missing`: with kFill
  /// a gap in marginals is what the schema fills it with, as in rows that were made so; else a
  /// value of its own.
  SchemaFile schema;
  TableSource real;
  TableSource synthetic;
  int degree = 3;
  std::vector<std::string> by;  ///< columns or group attributes that make groups; empty: none
  /// Also the parity error as printed, in which everybody counts so much; needs `by`.
  std::optional<double> parity_omega;
  std::string positive;            ///< class; "": the schema's favourable, or the second of two
  BinOptions bins;                 ///< of numeric columns
  std::string weight_column;       ///< what records count for, no column to compare; "": 1 each
  std::filesystem::path out_path;  ///< folder for the reports; empty: none
  bool force = false;              ///< replace files in an existing one
  bool verbose = false;            ///< the tool prints all that the page has
  std::string command;             ///< how the command was called, for the report
  int threads = 1;
};

inline RequestOptions options_of(SynthEvaluateRequest& request) {
  using Option = RequestOption;
  return joined(
      {domain_options(
           request.schema,
           {.name = "target",
            .help = "Column for a classifier, or a regression if it is numeric, that is trained on "
                    "the synthetic rows and tested on the real ones; none: neither",
            .derived = "the target of --schema"}),
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
         Option::Names{.names = &request.by, .is_one_question = true}},
        {{.name = "parity_omega",
          .help = "Also report the parity error of [RosenblattStoyanovichMusco2024, Def. 10] with "
                  "this weight",
          .range = positive(),
          .derived = "only the mean, overall and of the groups",
          .needs = "by"},
         &request.parity_omega},
        {{.name = "positive",
          .is_common = true,
          .help = "Positive class of the target",
          .derived = "favourable of the schema, else the second of two"},
         &request.positive}},
       weight_options(request.weight_column, "; synthetic rows count by theirs, if any"),
       {{{.name = "out",
          .is_common = true,
          .help = "Folder for report.json, report.html and errors.csv"},
         &request.out_path},
        {{.name = "force", .help = "Replace files in an existing --out"}, &request.force}},
       verbose_options(request.verbose)});
}

/// Reads both tables by the schema, but that a missing cell is no number and no class, whatever
/// that fills it with, and drops its record from what is about its column alone, and compares all
/// marginals of up to so many columns, also group by group, means of numeric columns, their
/// correlations, and what a classifier or a regression learns from the synthetic rows, each next to
/// what a bootstrap and a second half of the real records give (audit/yardsticks.h). With weights
/// all of it is of real records by their weights, and of synthetic rows by theirs, if they have the
/// column; records of weight 0 or none count for nothing. With an output folder report.json,
/// report.html and errors.csv are written there, all or none, for their owner. Errors: kInput
/// (schema, tables), kUsage (degree, bins, groups, target, weights; a folder that exists without
/// `force`, or a table that a file would replace), kRuntime (folder).
SynthEvaluateReport evaluate_synthetic(const SynthEvaluateRequest& request, TaskProgress& progress);

}  // namespace equinoise
