// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/predict/predict.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/files/output_file.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/predict/model_inputs.h"
#include "equinoise/tasks/predict/saved_model.h"
#include "equinoise/train/noise_reach.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.predict";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr int64_t kMaxBlockRecords = 16'384;
constexpr int64_t kMaxBlockOutputs = 1 << 20;
constexpr int64_t kMaxBlockFeatures = 1 << 24;

/// Appends a comma and the shortest text that reads back as the same number, in quotes if it has a
/// decimal comma.
void append_number(std::string& text, double value, bool has_decimal_comma) {
  const size_t begin = text.size() + 1;
  fmt::format_to(std::back_inserter(text), FMT_COMPILE(",{}"), value);
  const size_t point = has_decimal_comma ? text.find('.', begin) : text.npos;
  if (point == text.npos) return;
  text[point] = ',';
  text.insert(begin, 1, '"');
  text += '"';
}

/// The kind of model that a method is made for; "": several, or an unknown method.
std::string_view model_of_method(const std::string& method) {
  const auto rows = training_methods();
  const auto found = std::ranges::find(rows, method, &TrainingMethodRow::name);
  return found == rows.end() ? "" : found->own_model;
}

/// The reasons for predictions: the largest parts of a model's score.
class Reasons {
 public:
  Reasons(int64_t number, const SavedModel& saved, TaskProgress& progress)
      : number_(static_cast<size_t>(number)), saved_(saved), progress_(progress) {
    check_interval(kWhere, "reasons", static_cast<double>(number), 0, kMaxReasons);
    if (number == 0) return;
    const ModelFacts facts = model_facts(saved.model->name());
    if (!facts.has_parts()) {
      refuse(
          "--reasons is for linear and additive models, whose scores are sums over columns, and "
          "this is a {} model",
          saved.model->name());
    }
    // A column of which a group has one value is a part of the constant of the group's model.
    names_ = encoded_columns(saved.schema).names;
    for (const std::string& name : names_) {
      is_constant_.push_back(saved.model_per_group && contains(saved.method_groups, name) &&
                             saved.schema.find_group_attribute(name) == nullptr);
    }
  }

  size_t number() const { return number_; }

  /// Begins a block: these records of the dataset, encoded. The first one warns of noise.
  void start(const Dataset& dataset, std::span<const uint32_t> records, const EncodedTable& table) {
    if (number_ == 0) return;
    const bool is_first = dataset_ == nullptr;
    dataset_ = &dataset;
    records_ = records;
    table_ = saved_.model->table_of_parts(table);
    if (!is_first) return;
    warn_of_noise(table.target_divisor);
    // The method made for such models has compared its terms with the training records.
    const bool is_compared = model_of_method(saved_.method) == saved_.model->name();
    parameters_ = is_compared ? saved_.parameters
                              : centred(saved_.parameters, saved_.model->num_outputs(), table_);
  }

  /// Appends the reasons of the block's record i. `predicted`: the class, if there are any.
  void append(size_t i, size_t predicted, std::string& text) {
    if (number_ == 0) return;
    const std::vector<ScorePart> parts =
        saved_.model->parts(table_, static_cast<uint32_t>(i), parameters_);
    order_.clear();
    for (size_t c = 0; c < parts.size(); ++c) {
      if (c >= is_constant_.size() || !is_constant_[c])
        order_.emplace_back(in_prediction(parts[c], predicted), c);
    }
    const auto weight = [&](const std::pair<double, size_t>& part) {
      return saved_.model->num_classes() == 0 ? std::fabs(part.first) : part.first;
    };
    std::ranges::stable_sort(order_, std::greater(), weight);
    for (size_t k = 0; k < number_; ++k) {
      text += ',';
      if (k < order_.size() && weight(order_[k]) > 0) {
        const auto& [added, c] = order_[k];
        text += csv_cell(fmt::format("{} ({:+.3g})", name_of(parts[c], c, records_[i]), added));
      }
    }
  }

 private:
  static constexpr double kMaxReasons = 100;

  void warn_of_noise(double target_divisor) const {
    if (saved_.status == PrivacyStatus::kNotPrivate && !saved_.privacy) return;
    const auto noise = saved_.settings.find(kParameterNoise);
    progress_.stage(
        noise == saved_.settings.end()
            ? "warning: reasons hold noise of training, whose size is unknown; those of rare "
              "values hold most"
            : fmt::format("warning: noise of training moves reasons of rare values by a standard "
                          "deviation of about {:.2g}, those of common ones by less",
                          noise->second * target_divisor));
  }

  /// A part of the scores in what is predicted: for the class, or of the number in its own units.
  double in_prediction(const ScorePart& part, size_t predicted) const {
    if (saved_.model->num_classes() == 0) return part.score(0) * table_.target_divisor;
    const size_t num_scores = part.weights.size();
    if (num_scores == 1) return predicted == 1 ? part.score(0) : -part.score(0);
    double sum = 0;
    for (size_t k = 0; k < num_scores; ++k) sum += part.score(k);
    return part.score(predicted) - sum / static_cast<double>(num_scores);
  }

  /// The name of part c, with the record's number if it has none. The number in place of missing
  /// ones may be either.
  std::string name_of(const ScorePart& part, size_t c, uint32_t record) const {
    std::string name(part.name);
    const NumericColumn* number = c < names_.size() ? dataset_->find_numeric(names_[c]) : nullptr;
    if (number == nullptr) return name;
    const ColumnSchema& column = saved_.schema.column(names_[c]);
    const double value = number->values[record];
    if (name == names_[c]) name += "=" + column.text_of(value);
    return name +
           (column.missing == MissingPolicy::kFill && value == column.fill ? " or missing" : "");
  }

  size_t number_;
  const SavedModel& saved_;
  TaskProgress& progress_;
  std::vector<double> parameters_;
  std::vector<std::string> names_;  ///< (columns)
  std::vector<bool> is_constant_;   ///< (columns)
  const Dataset* dataset_ = nullptr;
  std::span<const uint32_t> records_;
  EncodedTable table_;
  std::vector<std::pair<double, size_t>> order_;  ///< of the parts of a record
};

/// The lines of the file.
class PredictionLines {
 public:
  /// `names`: of the columns between the row and the prediction. A name that the output uses for
  /// predictions is refused, because readers find predictions by it. The name of the row column is
  /// not.
  PredictionLines(const Schema& schema, const std::vector<std::string>& names,
                  std::optional<double> threshold, size_t num_reasons)
      : has_decimal_comma_(schema.layout.decimal_comma),
        num_names_(names.size()),
        threshold_(threshold) {
    std::string row = "row";
    while (contains(names, row)) row += "_";
    header_ = row;
    const ColumnSchema& target = schema.column(schema.target);
    for (const std::string& name : names) header_ += "," + csv_cell(name);
    header_ += ",prediction";
    std::set<std::string> own = {"prediction"};
    for (const std::string& name : target.categories()) {
      classes_.push_back(csv_cell(name));
      const std::string column = "probability of " + name;
      own.insert(column);
      header_ += "," + csv_cell(column);
      empty_ += ",";
    }
    for (size_t k = 1; k <= num_reasons; ++k) {
      const std::string column = fmt::format("reason {}", k);
      own.insert(column);
      header_ += "," + column;
      empty_ += ",";
    }
    std::set<std::string> kept;
    for (const std::string& name : names) {
      if (own.count(name) != 0) {
        refuse(
            "--keep {}: the output has a column of that name already, with "
            "what this model predicts; rename the one of the table first",
            name);
      }
      if (!kept.insert(name).second) refuse("--keep {}: is named twice", name);
    }
  }

  std::string header() const { return header_ + "\n"; }

  /// The number of records that are predicted at once, so that memory does not grow with the
  /// classes or the pixels.
  int64_t block_records(const Schema& schema) const {
    const size_t num_pixels = schema.image ? schema.image->num_values() : 0;
    return std::min({kMaxBlockRecords,
                     1 + kMaxBlockOutputs / static_cast<int64_t>(1 + classes_.size()),
                     1 + kMaxBlockFeatures / static_cast<int64_t>(1 + num_pixels)});
  }

  /// Appends the line of a block's record i, whose row is `row`, with its cells for the names.
  /// Returns whether the line holds a prediction.
  bool append(int64_t row, size_t i, std::span<const std::string> cells, const EncodedTable& table,
              const Predictions& predictions, Reasons& reasons, std::string& text) const {
    const size_t width = predictions.num_outputs;
    const auto outputs = std::span(predictions.outputs).subspan(i * width, width);
    // The number is the probability of the first class for a categorical target. Bounds are kept to
    // the last digit in the target's own units.
    const double number = std::clamp(table.target_offset + table.target_divisor * outputs[0],
                                     table.target_lower, table.target_upper);
    const bool predicted = table.contributes[i] != 0 && predictions.has_prediction(i);
    text += fmt::format_int(row).str();
    for (const std::string& cell : cells.first(num_names_)) text += "," + csv_cell(cell);
    if (!predicted) {
      text += empty_;
    } else if (classes_.empty()) {
      append_number(text, number, has_decimal_comma_);
      reasons.append(i, 0, text);
    } else {
      const size_t found =
          threshold_ ? size_t{outputs[1] >= *threshold_} : predictions.predicted[i];
      text += ',';
      text += classes_[found];
      for (const double probability : outputs) append_number(text, probability, has_decimal_comma_);
      reasons.append(i, found, text);
    }
    text += '\n';
    return predicted;
  }

 private:
  std::vector<std::string> classes_;  ///< empty for a numeric target
  bool has_decimal_comma_;
  size_t num_names_;
  std::optional<double> threshold_;
  std::string header_;
  std::string empty_ = ",";  ///< the cells of a record without a prediction
};

/// The destination of the lines.
class Output {
 public:
  explicit Output(const PredictRequest& request) : write_(request.write) {
    if (!write_) file_.emplace(request.out_path, request.force);
  }

  void write(std::string_view text) {
    if (file_) {
      file_->write(text);
    } else {
      write_(text);
    }
  }

  void commit() {
    if (file_) file_->commit();
  }

 private:
  const std::function<void(std::string_view)>& write_;
  std::optional<OutputFile> file_;
};

bool reads_standard_input(const PredictRequest& request) { return request.data.path() == "-"; }

/// The records to predict for: those of a table as they are read, block by block, those of images
/// all at once.
class BlockSource {
 public:
  BlockSource(const PredictRequest& request, const Schema& inputs, TaskProgress& progress) {
    if (inputs.image) {
      if (!request.kept.empty() || reads_standard_input(request)) {
        refuse("--keep and standard input are for tables, but the model predicts from images");
      }
      images_ = read_table_files({request.data, request.labels_path}, inputs,
                                 TableUse::kFeaturesOnly, progress);
      if (!images_->image_names.empty()) names_ = {"file"};
      return;
    }
    if (request.data.is_engine())
      static_cast<void>(request.data.open_records());  // refuses an engine
    const std::string name = reads_standard_input(request) ? "standard input" : request.data.name();
    progress.stage(fmt::format("reading {}", name));
    names_ = request.kept;
    reader_ = reads_standard_input(request)
                  ? open_described(start_table(InputFile::standard_input(), inputs.layout), inputs)
                  : open_described(request.data, inputs);
    blocks_ = std::make_unique<TableBlocks>(*reader_, inputs, TableUse::kFeaturesOnly,
                                            BlockOptions{names_, request.fail_if_missing});
  }

  const std::vector<std::string>& names() const { return names_; }
  const RecordReader* reader() const { return reader_.get(); }

  /// All images, which come as one block.
  const Dataset* images() const { return images_ ? &*images_ : nullptr; }

  /// The next records of a table; none at the end.
  Dataset next(int64_t max_records) { return blocks_->next(max_records); }
  const std::vector<std::string>& cells() const {
    return images_ ? images_->image_names : blocks_->kept();
  }

 private:
  std::vector<std::string> names_;
  std::optional<Dataset> images_;
  std::unique_ptr<RecordReader> reader_;
  std::unique_ptr<TableBlocks> blocks_;
};

/// Whether the file, under any name, is the one that standard input reads.
bool is_standard_input(const std::filesystem::path& path) {
  struct stat input = {};
  struct stat file = {};
  return ::fstat(STDIN_FILENO, &input) == 0 && ::stat(path.c_str(), &file) == 0 &&
         input.st_dev == file.st_dev && input.st_ino == file.st_ino;
}

/// Checks the output before any prediction. A wrong --out with --force must not overwrite the table
/// or the model.
void check_out(const PredictRequest& request) {
  if (request.write) return;
  require_not_input(request.out_path, {request.data, request.labels_path});
  require_not_input(request.out_path, {model_file(request.model_path), {}});
  if (reads_standard_input(request) && is_standard_input(request.out_path)) {
    refuse("{} is read as standard input by this command; give another --out",
           request.out_path.string());
  }
  const OutputFile probe(request.out_path, request.force);
}

void check_threshold(const PredictRequest& request, const SavedModel& saved) {
  if (!request.threshold) return;
  check_interval(kWhere, "threshold", *request.threshold, 0, 1);
  if (saved.model->num_classes() != 2) {
    refuse("--threshold is for a model of two classes; the target '{}' has {}", saved.schema.target,
           saved.model->num_classes() == 0 ? "numbers"
                                           : fmt::format("{} classes", saved.model->num_classes()));
  }
}

/// Predicts for `records` of a dataset and writes their lines; `first_row` is that of the first
/// record.
void write_block(const PredictRequest& request, const SavedModel& saved, const Schema& inputs,
                 const Dataset& dataset, std::span<const uint32_t> records, int64_t first_row,
                 std::span<const std::string> cells, const PredictionLines& lines, size_t num_names,
                 Reasons& reasons, std::string& text, Output& out, PredictReport& report) {
  EncodedTable table = encode(dataset, saved.schema, records, TargetUse::kNone);
  table.groups = groups_of_model(saved, dataset, inputs, records);
  const Predictions predictions =
      predict_within_bounds(*saved.model, table, saved.parameters, request.threads);
  if (request.threshold && !predictions.has_probabilities) {
    refuse("--threshold is for probabilities, and a {} model has none", saved.model->name());
  }
  report.num_clamped += predictions.num_clamped;
  reasons.start(dataset, records, table);
  for (size_t i = 0; i < records.size(); ++i) {
    const bool predicted =
        lines.append(first_row + static_cast<int64_t>(i), i, cells.subspan(i * num_names), table,
                     predictions, reasons, text);
    report.num_not_predicted += predicted ? 0 : 1;
  }
  out.write(text);
  text.clear();
}

}  // namespace

PredictReport predict(const PredictRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  progress.stage(fmt::format("loading {}", model_file(request.model_path).string()));
  const SavedModel saved = load_model(request.model_path, request.table);
  check_labels(request.labels_path, saved.schema, TableUse::kFeaturesOnly);
  check_threshold(request, saved);
  Reasons reasons(request.reasons, saved, progress);
  check_out(request);

  const Schema inputs = schema_of_inputs(saved, false);
  BlockSource source(request, inputs, progress);
  PredictReport report;
  report.target = saved.schema.target;
  report.model_status = saved.status;
  report.model_privacy = saved.privacy;
  const PredictionLines lines(saved.schema, source.names(), request.threshold, reasons.number());
  progress.stage(fmt::format("predicting {}", report.target));
  progress.hold_interruptions();
  Output out(request);
  std::string text = lines.header();
  const int64_t block_records = lines.block_records(saved.schema);
  const size_t num_names = source.names().size();
  std::vector<uint32_t> records;
  while (true) {
    const bool is_of_images = source.images() != nullptr;
    const Dataset block = is_of_images ? Dataset() : source.next(block_records);
    const Dataset& dataset = is_of_images ? *source.images() : block;
    // Images are in memory, and a block is a part of them.
    const int64_t first = is_of_images ? report.num_rows : 0;
    const int64_t count = std::min(block_records, dataset.num_records - first);
    if (count == 0) {
      // The last counts are totals over all blocks, and so are the counts they are compared with.
      Dataset whole;
      whole.num_records = report.num_rows;
      whole.num_dropped = dataset.num_dropped;
      whole.counts = dataset.counts;
      report.ingest_notes = ingest_notes(whole);
      break;
    }
    records.resize(static_cast<size_t>(count));
    std::iota(records.begin(), records.end(), static_cast<uint32_t>(first));
    write_block(request, saved, inputs, dataset, records, report.num_rows + 1,
                std::span(source.cells()).subspan(static_cast<size_t>(first) * num_names), lines,
                num_names, reasons, text, out, report);
    report.num_rows += count;
    if (progress.interrupted()) {
      throw Error(ErrorKind::kRuntime, kWhere,
                  request.write ? "interrupted: the last rows are not written"
                                : "interrupted: nothing was written");
    }
  }
  if (report.num_rows == 0) source.reader()->fail("has a header but no rows");
  out.commit();
  if (!request.write) report.files = {request.out_path.string()};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise
