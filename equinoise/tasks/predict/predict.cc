// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/predict/predict.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"
#include "equinoise/files/output_file.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/predict/model_inputs.h"
#include "equinoise/tasks/predict/saved_model.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.predict";
constexpr int64_t kMaxBlockRecords = 16'384;
constexpr int64_t kMaxBlockOutputs = 1 << 20;
constexpr int64_t kMaxBlockFeatures = 1 << 24;

/// Appends a comma and the shortest text that reads back as the same number.
void append_number(std::string& text, double value) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE(",{}"), value);
}

/// The lines of the file.
class PredictionLines {
 public:
  PredictionLines(const ColumnSchema& target, const std::vector<std::string>& image_names)
      : image_names_(image_names),
        header_(image_names.empty() ? "row,prediction" : "row,file,prediction") {
    for (const std::string& name : target.categories()) {
      classes_.push_back(csv_cell(name));
      header_ += "," + csv_cell("probability of " + name);
      empty_ += ",";
    }
  }

  std::string header() const { return header_ + "\n"; }

  /// As many records as are predicted at once, so that memory does not grow with the classes or
  /// the pixels.
  int64_t block_records(const Schema& schema) const {
    const size_t num_pixels = schema.image ? schema.image->num_values() : 0;
    return std::min({kMaxBlockRecords,
                     1 + kMaxBlockOutputs / static_cast<int64_t>(1 + classes_.size()),
                     1 + kMaxBlockFeatures / static_cast<int64_t>(1 + num_pixels)});
  }

  /// About as many as a line has.
  int64_t bytes_per_line() const {
    size_t widest = 20;
    for (const std::string& name : classes_) widest = std::max(widest, name.size());
    size_t widest_file = 0;
    for (const std::string& name : image_names_) widest_file = std::max(widest_file, name.size());
    return static_cast<int64_t>(widest + widest_file + 10 + 20 * classes_.size());
  }

  /// Appends the line of a block's record i, the block being the rows from `begin`; returns whether
  /// it holds a prediction.
  bool append(int64_t begin, int64_t i, const EncodedTable& table, const Predictions& predictions,
              std::string& text) const {
    const auto record = static_cast<size_t>(i);
    const size_t width = predictions.num_outputs;
    const auto outputs = std::span(predictions.outputs).subspan(record * width, width);
    // Of a categorical target this is the probability of its first class.
    // Bounds are kept to the last digit in the target's own units.
    const double number = std::clamp(table.target_offset + table.target_divisor * outputs[0],
                                     table.target_lower, table.target_upper);
    const bool predicted = table.contributes[record] != 0 && predictions.has_prediction(record);
    text += fmt::format_int(begin + i + 1).str();
    if (!image_names_.empty()) text += "," + csv_cell(image_names_[begin + i]);
    if (!predicted) {
      text += empty_;
    } else if (classes_.empty()) {
      append_number(text, number);
    } else {
      text += ',';
      text += classes_[predictions.predicted[record]];
      for (const double probability : outputs) append_number(text, probability);
    }
    text += '\n';
    return predicted;
  }

 private:
  std::vector<std::string> classes_;             ///< empty for a numeric target
  const std::vector<std::string>& image_names_;  ///< of all rows, or empty
  std::string header_;
  std::string empty_ = ",";  ///< the cells of a record without prediction
};

/// Finds before the work what is wrong with the output. Neither the table nor the model may be lost
/// to a wrong --out with --force.
void check_out(const PredictRequest& request) {
  require_not_input(request.out_path, {request.data_path, request.labels_path});
  require_not_input(request.out_path, {model_file(request.model_path), {}});
  const OutputFile probe(request.out_path, request.force);
}

}  // namespace

PredictReport predict(const PredictRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  progress.stage(fmt::format("loading {}", model_file(request.model_path).string()));
  const SavedModel saved = load_model(request.model_path, request.table);
  check_labels(request.labels_path, saved.schema, TableUse::kFeaturesOnly);
  check_out(request);

  const Schema inputs = schema_of_inputs(saved, false);
  const Dataset dataset = read_table_files({request.data_path, request.labels_path}, inputs,
                                           TableUse::kFeaturesOnly, progress);
  PredictReport report;
  report.target = saved.schema.target;
  report.model_status = saved.status;
  report.model_privacy = saved.privacy;
  report.num_rows = dataset.num_records;
  report.ingest_notes = ingest_notes(dataset);

  progress.stage(
      fmt::format("predicting {} for {} records", report.target, format_count(report.num_rows)));
  progress.hold_interruptions();
  OutputFile file(request.out_path, request.force);
  const PredictionLines lines(saved.schema.column(report.target), dataset.image_names);
  file.reserve(report.num_rows * lines.bytes_per_line());
  std::string text = lines.header();
  std::vector<uint32_t> records;
  const int64_t block_records = lines.block_records(saved.schema);
  for (int64_t begin = 0; begin < report.num_rows; begin += block_records) {
    const int64_t count = std::min(block_records, report.num_rows - begin);
    records.resize(static_cast<size_t>(count));
    std::iota(records.begin(), records.end(), static_cast<uint32_t>(begin));
    EncodedTable table = encode(dataset, saved.schema, records, TargetUse::kNone);
    table.groups = groups_of_model(saved, dataset, inputs, records);
    const Predictions predictions =
        predict_within_bounds(*saved.model, table, saved.parameters, request.threads);
    report.num_clamped += predictions.num_clamped;
    for (int64_t i = 0; i < count; ++i) {
      const bool predicted = lines.append(begin, i, table, predictions, text);
      report.num_not_predicted += predicted ? 0 : 1;
    }
    file.write(text);
    text.clear();
    if (progress.interrupted()) {
      throw Error(ErrorKind::kRuntime, kWhere, "interrupted: nothing was written");
    }
  }
  file.commit();
  report.files = {request.out_path.string()};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise
