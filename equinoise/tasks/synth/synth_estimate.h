// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "equinoise/base/progress.h"
#include "equinoise/report/synth/estimate_report.h"
#include "equinoise/tasks/input/request_option.h"

namespace equinoise {

/// The request of `equinoise synth estimate`.
struct SynthEstimateRequest {
  std::filesystem::path model_path = {};  ///< model.json, or the folder that holds it
  FigureQuestion question = {};
  double level = 0.95;                  ///< of intervals
  bool at_once = false;                 ///< the level holds for all intervals at once
  std::filesystem::path out_path = {};  ///< CSV if it ends in .csv, otherwise JSON; "": no file
  bool force = false;
};

inline RequestOptions options_of(SynthEstimateRequest& request) {
  using Option = RequestOption;
  return {
      {{.name = "model",
        .help = "Folder written by equinoise synth, or the model.json in it",
        .is_required = true},
       &request.model_path},
      {{.name = "table",
        .help =
            "Columns, or [groups.NAME] of the schema, of a cross-table: counts and shares of its "
            "cells, of numbers in the model's bins"},
       Option::Names{.names = &request.question.table, .is_one_question = true}},
      {{.name = "share",
        .help = "COLUMN=VALUE,...: records with all of these; of a numeric column also a range as "
                "30..40, 65.. or ..17; missing: records without a value"},
       Option::Names{.names = &request.question.share, .is_one_question = true}},
      {{.name = "mean", .help = "Numeric column whose mean is estimated"}, &request.question.mean},
      {{.name = "by",
        .help = "Columns, or [groups.NAME], for whose groups --share or --mean is estimated"},
       Option::Names{.names = &request.question.by, .is_one_question = true}},
      {{.name = "level", .help = "Probability with which an interval holds the figure, from 0.7"},
       &request.level},
      {{.name = "at_once",
        .help = "Make the level hold for all intervals together, not for each by itself"},
       &request.at_once},
      {{.name = "out",
        .help = "File for the figures: CSV if its name ends in .csv, otherwise JSON"},
       &request.out_path},
      {{.name = "force", .help = "Replace an existing --out"}, &request.force}};
}

/// Answers a question about the records behind synthetic rows from model.json alone:
/// post-processing, which costs nothing and sees no record. Intervals are those of
/// record_interval.h, for the records of the table, not for a population.
///
/// A question is answered by measurements that hold all of its columns: of everybody, and of all
/// strata together, whose noise is independent. What a stratum has in common is public; declared
/// impossible combinations are 0, and so are strata that are declared to hold nobody. Errors:
/// kInput (the model, or one of a version that kept no counts), kUsage (an unknown column or value,
/// a mean of categories, more cells than kMaxCells, an --out that exists).
SynthEstimateReport estimate_from_synthetic(const SynthEstimateRequest& request,
                                            TaskProgress& progress);

/// The same of a model in memory, which errors call `origin`; nothing is written.
SynthEstimateReport estimate_from_model(const SynthFile& file, const std::string& origin,
                                        const SynthEstimateRequest& request);

}  // namespace equinoise
