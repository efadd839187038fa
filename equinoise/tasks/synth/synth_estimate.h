// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/tasks/input/request_option.h"

namespace equinoise {

struct SynthFile;

/// The request of `equinoise synth estimate`: one of a table, a share and a mean.
struct SynthEstimateRequest {
  std::filesystem::path model_path = {};  ///< model.json, or the folder that holds it
  std::vector<std::string> table = {};    ///< columns of a cross-table
  std::vector<std::string> share = {};    ///< COLUMN=VALUE: the share of records with all of these
  std::string mean = {};                  ///< a numeric column
  std::vector<std::string> by = {};       ///< columns: a share or a mean of each of their groups
  double level = 0.95;                    ///< of intervals
  bool at_once = false;                   ///< the level holds for all intervals at once
  std::filesystem::path out_path = {};    ///< CSV if it ends in .csv, otherwise JSON; "": no file
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
        .help = "Columns of a cross-table: counts and shares of its cells, of numbers in the "
                "model's bins"},
       Option::Names{&request.table}},
      {{.name = "share",
        .help = "COLUMN=VALUE,...: records with all of these; of a numeric column also a range as "
                "30..40, 65.. or ..17; missing: records without a value"},
       Option::Names{&request.share}},
      {{.name = "mean", .help = "Numeric column whose mean is estimated"}, &request.mean},
      {{.name = "by",
        .help = "Columns for whose groups --share or --mean is estimated, each of its own records"},
       Option::Names{&request.by}},
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

enum class FigureKind { kCount, kShare, kMean };

std::string_view to_string(FigureKind kind);

/// Which released counts an interval stands on.
struct FigureBasis {
  std::vector<std::string> columns;    ///< of the measurement
  std::optional<double> noise_stddev;  ///< of each of its counts, the largest of strata; none: no
                                       ///< noise, `columns` are of declared facts
  size_t num_strata = 0;               ///< that were measured apart; 0: everybody was
  bool is_split = false;               ///< see RecordInterval
};

/// One figure. Without limits where nothing was released that says something; where noise hides how
/// many records it is of, they are what it can be, and there is no estimate.
struct EstimatedFigure {
  FigureKind kind = FigureKind::kShare;
  GroupLabel group;                ///< its cell or group; empty: everybody
  std::optional<double> model;     ///< of the model: of rows but for their draw
  std::optional<double> estimate;  ///< of the records, from released counts
  std::optional<double> lower;     ///< of the interval for the records
  std::optional<double> upper;
  FigureBasis basis;   ///< where there is an estimate
  std::string reason;  ///< why there is none
};

struct SynthEstimateReport {
  std::string dataset;
  std::string method;
  std::string version;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::string question;                              ///< in words
  std::string interval_of = "records of the table";  ///< or rows of units that counted
  double level = 0.95;
  bool at_once = false;
  std::vector<std::string> notes;  ///< what figures and intervals are of
  std::vector<EstimatedFigure> figures;
  std::vector<std::string> files;
};

/// Answers a question about the records behind synthetic rows from model.json alone:
/// post-processing, which costs nothing and sees no record. Intervals are those of
/// record_interval.h, for the records of the table, not for a population.
///
/// A question is answered by measurements that hold all of its columns: of everybody, and of all
/// strata together, whose noise is independent. What a stratum has in common is public; declared
/// impossible combinations are 0, and so are strata that are declared to hold nobody. Errors:
/// kInput (the model, or one of a version that kept no counts), kUsage (an unknown column or value,
/// a mean of categories, more cells than kMostCells, an --out that exists).
SynthEstimateReport estimate_from_synthetic(const SynthEstimateRequest& request,
                                            TaskProgress& progress);

/// The same of a model in memory, which errors call `origin`; nothing is written.
SynthEstimateReport estimate_from_model(const SynthFile& file, const std::string& origin,
                                        const SynthEstimateRequest& request);

/// The most cells of the table over the columns of a question.
inline constexpr double kMostCells = 10'000;

}  // namespace equinoise
