// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/base/progress.h"
#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/table_source.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/tasks/input/shared_options.h"

namespace equinoise {

/// The request of `equinoise predict`.
struct PredictRequest {
  std::filesystem::path model_path;   ///< model.json or its folder
  TableSource data;                   ///< "-": standard input, which Parquet and images cannot be
  std::filesystem::path labels_path;  ///< for a table of images, may be empty; see TableFiles
  TableOptions table;                 ///< how the table is laid out
  std::filesystem::path out_path;     ///< the CSV file to write; unused with `write`
  bool force = false;                 ///< replace an existing file
  /// Receives the lines, some thousand at a time, instead of a file.
  std::function<void(std::string_view)> write = nullptr;
  std::vector<std::string> kept = {};  ///< columns of the table to copy to the output, unchanged
  /// The least probability of the second of two classes at which it is predicted. Empty: the class
  /// with the larger probability.
  std::optional<double> threshold = {};
  /// The number of parts of the score of a linear or additive model that explain each prediction.
  int64_t reasons = 0;
  /// Makes it an error if a cell that the model needs is missing, not a number or not listed,
  /// whatever the schema's rules.
  bool fail_if_missing = false;
  int threads = 1;
};

inline RequestOptions options_of(PredictRequest& request) {
  using Option = RequestOption;
  return joined(
      {{{{.name = "model",
          .help = "Folder written by equinoise train, or the model.json in it",
          .is_required = true},
         &request.model_path},
        {{.name = "data",
          .help = "Table with the model's feature columns, or images; - is standard input",
          .is_required = true},
         Option::Table{&request.data, &request.table}}},
       layout_options(request.table),
       label_options(request.labels_path),
       {{{.name = "out",
          .help = "CSV file for the predictions; - is standard output",
          .is_required = true},
         &request.out_path},
        {{.name = "keep",
          .help = "Columns of the table to carry along as they are written, e.g. id,visit_date; "
                  "repeatable"},
         Option::Names{&request.kept}},
        {{.name = "threshold",
          .help = "Probability of the second of two classes from which on it is predicted",
          .derived = "the more probable class is"},
         &request.threshold},
        {{.name = "reasons",
          .help = "Number of columns to name for each prediction of a linear or additive model"},
         &request.reasons},
        {{.name = "fail_if_missing",
          .help = "Error at the first missing or unknown cell that the model needs"},
         &request.fail_if_missing},
        {{.name = "force", .help = "Replace an existing --out"}, &request.force}}});
}

/// The result of `equinoise predict`. Not private.
struct PredictReport {
  std::string target;
  PrivacyStatus model_status = PrivacyStatus::kNotPrivate;  ///< SavedModel::status
  std::optional<Guarantee> model_privacy;
  int64_t num_rows = 0;
  int64_t num_not_predicted = 0;  ///< a rule of the schema drops a cell, or the result overflows
  int64_t num_clamped = 0;  ///< numbers outside the target's bounds, which were set to the bound
  std::vector<std::string> ingest_notes;
  double seconds = 0;
  std::vector<std::string> files;
};

template <>
inline constexpr auto fields_of<PredictReport> = std::tuple(
    computed(
        "notice",
        +[](const PredictReport&) {
          return std::string(kDoNotPublish) +
                 "predictions and counts are computed from the records of this table without noise";
        },
        "What may not be done with it"),
    computed(
        "status", +[](const PredictReport&) { return PrivacyStatus::kNotPrivate; },
        "Of the predictions"),
    field("model_status", &PredictReport::model_status, "Whether a guarantee holds for the model"),
    field("target", &PredictReport::target, "Predicted column"),
    field("rows", &PredictReport::num_rows, "Number of rows"),
    field("not_predicted", &PredictReport::num_not_predicted, "Rows without a prediction"),
    field("clamped", &PredictReport::num_clamped, "Predictions that were set to the nearer bound"),
    field("ingest", &PredictReport::ingest_notes, "What the schema's rules did to records"),
    field("seconds", &PredictReport::seconds, "Time"),
    field("files", &PredictReport::files, "Files that were written"));

/// Predicts for every record of a table that holds the feature columns (others are ignored) and
/// writes a CSV file (RFC 4180 with LF) with these columns:
/// - the row, from 1, named "row", or "row_" if a kept column has that name; for a folder of images
///   the file;
/// - the kept columns;
/// - the predicted class or, for a numeric target, the number in its own units and within its
///   bounds;
/// - for classes the probability of each;
/// - with `reasons` the values that speak most for the predicted class, each with its part of the
///   log odds, or of the log score less the mean over more than two classes (Model::parts). For a
///   number: those that move it most, with their parts in its units. Parts of dpgam
///   and gam are compared with the mean over the training records, by the released histograms,
///   those of other models with the mean over the categories or cells of the column. Fewer parts
///   leave cells empty. Numbers within these cells have a decimal point in every table. A warning
///   tells of noise in them.
/// Numbers have the shortest form that reads back as the same double, with a decimal comma (and so
/// in quotes) if the table has them. A record without a prediction has empty cells.
///
/// Not private: the predictions depend on the table's records without noise. Memory: a block of
/// records and predictions, whatever the length of the table; for images all pixels. A file is
/// written completely or not at all; lines passed to `write` before an error stay written. Errors:
/// kInput (model, table, with fail_if_missing a cell by row, line and column), kUsage (out_path
/// exists; a kept column that is named twice or like one of the predictions, or for images; a
/// threshold for a model without two classes and their probabilities, or outside 0 to 1; reasons of
/// a network, or not from 0 to 100), kRuntime (disk).
PredictReport predict(const PredictRequest& request, TaskProgress& progress);

}  // namespace equinoise
