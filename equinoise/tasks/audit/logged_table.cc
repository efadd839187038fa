// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/logged_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/constraints/rate_contexts.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/table.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/audit/logged_classes.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/record_weights.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_dropped(const std::vector<uint8_t>& dropped, size_t record) {
  return !dropped.empty() && dropped[record] != 0;
}

/// Whether a column holds scores or probabilities.
bool is_score(const AuditRequest& request, const LoggedDescription& description,
              const std::string& name) {
  const std::vector<std::string>& probabilities = description.probabilities;
  return name == request.scores() || contains(probabilities, name);
}

/// Ends the run at a record, which is read again for its place.
[[noreturn]] void refuse_record(const AuditRequest& request, const Schema& schema, size_t record,
                                std::string_view problem) {
  const std::unique_ptr<RecordReader> records = open_described(request.predictions, schema);
  for (size_t i = 0; i <= record; ++i) records->next();
  records->fail_here(problem);
}

/// Refuses cells that should be numbers and are not, in columns that no schema describes. Advice
/// about rules of the schema would not help there.
void check_are_numbers(const AuditRequest& request, const LoggedDescription& description,
                       const Dataset& dataset) {
  for (const ColumnIngestCounts& counts : dataset.counts) {
    const bool is_of_predictions =
        counts.name == request.prediction || is_score(request, description, counts.name);
    if (counts.malformed == 0 || !(is_of_predictions || request.schema_path.empty())) continue;
    // The record is read again for its cell.
    const std::unique_ptr<RecordReader> records =
        open_described(request.predictions, description.schema);
    bool is_found = false;
    while (!is_found && records->next()) is_found = records->place() == counts.first_malformed;
    const std::vector<std::string>& header = records->header();
    const auto position =
        static_cast<size_t>(std::ranges::find(header, counts.name) - header.begin());
    const std::string_view cell = without_blanks_around(records->text(position));
    std::string advice = "; if it marks a missing value, give --na with its text";
    if (is_found && is_usual_missing_mark(cell)) {
      advice = fmt::format("; if '{}' marks a missing value, give {}", cell, na_option(cell));
    } else if (!counts.other_forms.empty() &&
               counts.other_forms[0].first == counts.first_malformed) {
      const std::string& problem = counts.other_forms[0].problem;
      const bool lacks_schema =
          request.schema_path.empty() && problem.find("schema") != problem.npos;
      advice = fmt::format(": it {}{}", problem, lacks_schema ? "; give one with --schema" : "");
    }
    records->fail_here(fmt::format("column '{}' is not a {}{}", counts.name, counts.value, advice));
  }
}

/// Refuses infinite numbers and numbers outside `low` to `high`.
void check_numbers(const AuditRequest& request, const Schema& schema, const NumericColumn& column,
                   double low, double high, std::string_view problem) {
  for (size_t i = 0; i < column.values.size(); ++i) {
    const double value = column.values[i];
    const bool is_finite = std::fabs(value) < kAnyNumber;
    if (is_dropped(column.dropped, i) || (is_finite && value >= low && value <= high)) continue;
    refuse_record(request, schema, i,
                  fmt::format("column '{}' {}", column.name,
                              is_finite ? problem : "holds an infinite number"));
  }
}

/// Refuses probabilities of classes that do not sum to 1, up to rounding to two digits.
void check_sums(const AuditRequest& request, const LoggedDescription& description,
                const Dataset& dataset) {
  std::vector<const NumericColumn*> columns;
  for (const std::string& name : description.probabilities)
    columns.push_back(dataset.find_numeric(name));
  constexpr double kRounding = 0.005 + 1e-9;
  const double most = kRounding * static_cast<double>(columns.size());
  for (size_t i = 0; i < columns[0]->values.size(); ++i) {
    double sum = 0;
    bool is_complete = true;
    for (const NumericColumn* column : columns) {
      is_complete = is_complete && !is_dropped(column->dropped, i);
      sum += column->values[i];
    }
    if (!is_complete || std::fabs(sum - 1) <= most) continue;
    refuse_record(
        request, description.schema, i,
        fmt::format(
            "columns '{}' are no probabilities of classes: they do not sum to 1, even if each was "
            "rounded to two digits; a class that the table lacks can be listed in a --schema, and "
            "scores of one class be judged with --score",
            fmt::join(description.probabilities, "', '")));
  }
}

/// Scales double-precision numbers so that single precision, in which a table holds them, loses the
/// least.
void fill_numbers(const NumericColumn& target, const NumericColumn& prediction, LoggedTable& out) {
  const size_t num_records = target.values.size();
  double low = kAnyNumber;
  double high = -kAnyNumber;
  for (size_t i = 0; i < num_records; ++i) {
    if (out.table.contributes[i] == 0) continue;
    low = std::min(low, target.values[i]);
    high = std::max(high, target.values[i]);
  }
  // Halves first, because the width of two finite numbers may overflow.
  const double half_width = high >= low ? high / 2 - low / 2 : 0;
  out.table.target_offset = high >= low ? low / 2 + high / 2 : 0;
  out.table.target_divisor = half_width > 0 ? half_width : 1;
  for (size_t i = 0; i < num_records; ++i) {
    const bool is_judged = out.table.contributes[i] != 0;
    const double scaled =
        is_judged ? (target.values[i] - out.table.target_offset) / out.table.target_divisor : 0;
    out.table.targets.push_back(static_cast<float>(scaled));
    const bool is_predicted = !is_dropped(prediction.dropped, i);
    // The error of the unmodified numbers, without the rounding of the stored target.
    const double error = (prediction.values[i] - target.values[i]) / out.table.target_divisor;
    out.predictions.outputs.push_back(
        is_predicted ? error + static_cast<double>(out.table.targets.back()) : kNaN);
    out.predictions.loss.push_back(kNaN);
  }
}

/// The scores of the classes of each record.
struct ClassScoreColumns {
  /// (num_classes) probabilities, or (1) of the positive one of two; empty: none.
  std::vector<const NumericColumn*> columns;

  /// (num_classes) the probabilities of a record; empty if one is missing.
  std::vector<double> of(size_t record) const {
    std::vector<double> scores;
    for (const NumericColumn* column : columns) {
      if (is_dropped(column->dropped, record)) return {};
      scores.push_back(column->values[record]);
    }
    if (scores.size() == 1) scores.insert(scores.begin(), 1 - scores[0]);
    return scores;
  }

  /// The loss by these probabilities.
  double loss(std::span<const double> scores, uint16_t label) const {
    // The difference 1 - p has lost its digits if the probability is small.
    if (columns.size() == 1 && label == 0) return -std::log1p(-scores[1]);
    return -std::log(scores[label]);
  }
};

/// The class predicted by scores: for two classes by the threshold, else the most probable.
uint16_t predicted_class(std::span<const double> scores, const std::optional<double>& threshold) {
  if (scores.size() == 2 && threshold) return scores[1] >= *threshold ? 1 : 0;
  return static_cast<uint16_t>(std::ranges::max_element(scores) - scores.begin());
}

/// Notes outcomes and groups that may be missing cells, if no schema decides that.
void note_possible_marks(const AuditRequest& request, const std::string& target,
                         const Dataset& dataset, LoggedTable& out) {
  if (!request.schema_path.empty()) return;
  const auto num_records = static_cast<size_t>(dataset.num_records);
  for (const CategoricalColumn& column : dataset.categorical) {
    // Classes that are only predicted are noted where classes are read.
    if (column.name == request.prediction) continue;
    for (size_t code = 0; code < column.categories.size(); ++code) {
      const std::string& text = column.categories[code];
      if (!is_usual_missing_mark(text)) continue;
      int64_t num_here = 0;
      int64_t num_predicted = 0;
      for (size_t i = 0; i < num_records; ++i) {
        if (!is_dropped(column.dropped, i) && column.codes[i] == code) ++num_here;
        if (column.name == target && out.predictions.has_prediction(i) &&
            out.predictions.predicted[i] == code)
          ++num_predicted;
      }
      if (num_here == 0) continue;
      const std::string share = fmt::format("{} of {} records", format_count(num_here),
                                            format_count(dataset.num_records));
      if (column.name == target) {
        out.notes.push_back(fmt::format(
            "class '{}' of '{}' happened in {} and was {}; if it marks a missing outcome, give {}",
            text, column.name, share,
            num_predicted == 0 ? "never predicted"
                               : fmt::format("predicted for {}", format_count(num_predicted)),
            na_option(text)));
      } else {
        out.notes.push_back(fmt::format(
            "'{}' of column '{}' counts as a value like others, in {}; if it marks a missing "
            "value, give {}",
            text, column.name, share, na_option(text)));
      }
    }
  }
}

/// Sets classes by their codes, and the available scores.
void fill_classes(const AuditRequest& request, const LoggedDescription& description,
                  const Dataset& dataset, LoggedTable& out) {
  const auto num_records = static_cast<size_t>(dataset.num_records);
  const CategoricalColumn& target = *dataset.find_categorical(description.schema.target);
  const CategoricalColumn* prediction =
      request.prediction.empty() ? nullptr : dataset.find_categorical(request.prediction);
  ClassScoreColumns scores;
  for (const std::string& name : description.probabilities)
    scores.columns.push_back(dataset.find_numeric(name));
  if (!request.scores().empty()) scores.columns.push_back(dataset.find_numeric(request.scores()));
  const bool has_scores = !scores.columns.empty();
  const bool are_probabilities = has_scores && request.score.empty();
  const size_t num_classes = target.categories.size();
  out.table.classes = target.categories;
  out.table.labels = target.codes;
  out.predictions.num_outputs = has_scores ? num_classes : 1;
  out.predictions.has_probabilities = has_scores;
  out.kind = are_probabilities ? ScoreKind::kProbabilities : ScoreKind::kScores;
  int64_t num_impossible = 0;
  for (size_t i = 0; i < num_records; ++i) {
    const std::vector<double> own = scores.of(i);
    const bool is_predicted = (prediction == nullptr || !is_dropped(prediction->dropped, i)) &&
                              (!has_scores || !own.empty());
    if (has_scores && is_predicted) {
      append(out.predictions.outputs, own);
    } else {
      out.predictions.outputs.insert(out.predictions.outputs.end(), out.predictions.num_outputs,
                                     is_predicted ? 0 : kNaN);
    }
    const bool has_loss = are_probabilities && is_predicted;
    const double loss = has_loss ? scores.loss(own, target.codes[i]) : kNaN;
    out.predictions.loss.push_back(loss);
    if (has_loss && out.table.contributes[i] != 0 && std::isinf(loss)) ++num_impossible;
    out.predictions.predicted.push_back(prediction != nullptr ? prediction->codes[i]
                                        : own.empty()         ? uint16_t{0}
                                                      : predicted_class(own, request.threshold));
  }
  if (num_impossible > 0) {
    out.notes.push_back(
        fmt::format("{} had a predicted probability of 0 for what happened: their loss is "
                    "infinite, and that of their groups undefined",
                    num_impossible == 1 ? "1 record" : format_count(num_impossible) + " records"));
  }
  if (prediction == nullptr || !request.schema_path.empty()) return;
  if (target.categories.size() == 2 && are_truth_pair(target.categories[0], target.categories[1]))
    return;
  // A class that is only predicted may be another spelling of one that occurs.
  std::vector<bool> occurs(target.categories.size());
  for (size_t i = 0; i < num_records; ++i)
    if (!is_dropped(target.dropped, i)) occurs[target.codes[i]] = true;
  int64_t num_unseen = 0;
  for (size_t i = 0; i < num_records; ++i)
    num_unseen += !is_dropped(prediction->dropped, i) && !occurs[prediction->codes[i]] ? 1 : 0;
  if (num_unseen > 0) {
    out.notes.push_back(
        fmt::format("{} of column '{}' {} of a class that never occurs in '{}'; if such a cell "
                    "marks a missing prediction, list it with --na",
                    num_unseen == 1 ? "1 prediction" : format_count(num_unseen) + " predictions",
                    request.prediction, num_unseen == 1 ? "is" : "are", target.name));
  }
}

}  // namespace

LoggedTable read_logged_table(const AuditRequest& request, const LoggedDescription& description) {
  const Schema& schema = description.schema;
  // Groups that do not exist are reported before the table is read.
  for (const std::vector<std::string>& columns : request.groupings)
    list_groups(schema, columns, request.floor);
  const Dataset dataset = read_table(request.predictions, schema, TableUse::kOther);
  check_are_numbers(request, description, dataset);
  const auto num_records = static_cast<size_t>(dataset.num_records);
  LoggedTable out;
  out.table.num_records = dataset.num_records;
  out.table.contributes.assign(num_records, 1);
  out.notes = ingest_notes(dataset.counts);
  const auto leave_out = [&](const auto& columns) {
    for (const auto& column : columns) {
      // A record without a prediction is kept, because dropping it would hide it from the figures.
      if (column.name == request.prediction || is_score(request, description, column.name))
        continue;
      for (size_t i = 0; i < num_records; ++i)
        if (is_dropped(column.dropped, i)) out.table.contributes[i] = 0;
    }
  };
  leave_out(dataset.numeric);
  leave_out(dataset.categorical);
  const auto num_left_out = std::ranges::count(out.table.contributes, uint8_t{0});
  if (num_left_out > 0) {
    out.notes.push_back(fmt::format(
        "{} of {} records are left out: their outcome{} a group{} is missing or not listed",
        format_count(num_left_out), format_count(dataset.num_records),
        request.weight_column.empty() ? " or" : ", their weight or",
        description.constraints ? " or attribute of a constraint" : ""));
  }

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!request.weight_column.empty()) {
    check_numbers(request, schema, *dataset.find_numeric(request.weight_column), 0, kInfinity,
                  "is below 0, which no weight can be");
    Weighting weighting =
        weigh_records(*dataset.find_numeric(request.weight_column), out.table.contributes);
    out.weights = AuditWeights{weighting.column, weighting.unit};
    for (std::string& note : weighting_notes(weighting)) out.notes.push_back(std::move(note));
    out.table.weights = std::move(weighting.weights);
  }
  const auto num_judged = std::ranges::count(out.table.contributes, uint8_t{1});
  if (const NumericColumn* target = dataset.find_numeric(schema.target)) {
    const NumericColumn& prediction = *dataset.find_numeric(request.prediction);
    for (const NumericColumn* column : {target, &prediction})
      check_numbers(request, schema, *column, -kInfinity, kInfinity, "");
    fill_numbers(*target, prediction, out);
  } else {
    for (const NumericColumn& column : dataset.numeric) {
      if (!is_score(request, description, column.name)) continue;
      if (!request.score.empty()) {
        check_numbers(request, schema, column, -kInfinity, kInfinity, "");
      } else {
        check_numbers(request, schema, column, 0, 1,
                      description.probabilities.empty()
                          ? "is not a probability from 0 to 1; if it is a score, give --score"
                          : "is not a probability from 0 to 1");
      }
    }
    if (!description.probabilities.empty()) check_sums(request, description, dataset);
    fill_classes(request, description, dataset, out);
  }
  note_possible_marks(request, schema.target, dataset, out);
  int64_t num_unpredicted = 0;
  for (size_t i = 0; i < num_records; ++i) {
    if (out.table.contributes[i] != 0 && !out.predictions.has_prediction(i)) ++num_unpredicted;
  }
  if (num_unpredicted > 0) {
    out.notes.push_back(
        fmt::format("{} of {} judged records have no prediction, or one that is no class of the "
                    "target: the figures of all records and of their groups are undefined",
                    format_count(num_unpredicted), format_count(num_judged)));
  }
  for (const std::vector<std::string>& columns : request.groupings)
    out.groupings.push_back(group_by(dataset, schema, columns, request.floor));
  if (description.constraints) {
    std::vector<uint32_t> records = numbers_below<uint32_t>(num_records);
    out.contexts = rate_contexts(dataset, schema, *description.constraints, records);
  }
  return out;
}

}  // namespace equinoise
