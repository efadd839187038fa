// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/toml_section.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/predict/saved_model.h"
#include "equinoise/tasks/synth/rows_card.h"
#include "equinoise/tasks/synth/synth_file.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth_sample";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, kWhere, message);
}

/// What rows are to have in a column.
struct Given {
  AttributeEvidence evidence;  ///< `attribute` is the position of the column
  /// Of a numeric column: from the first to below the second.
  std::optional<std::pair<double, double>> range = {};
};

/// So many units more than the number of its text an end of a range stands for: of timestamps, a
/// date without a time is that whole day.
double rest_of_day(const ColumnCodes& column, const std::string& end) {
  if (!column.time || !column.time->has_time()) return 0;
  const std::optional<ParsedTime> time = parse_time(end);
  return time && !time->has_time ? units_per_day(column.time->unit) - 1 : 0;
}

/// A number in a text of --given.
double parse_end(const ColumnCodes& column, const std::string& value, const std::string& end) {
  const std::optional<double> number = column.number_of(end);
  if (!number) {
    refuse(fmt::format(
        "--given {}={}: the value must be a {}, or a range of two with .. between "
        "them{}",
        column.name, value,
        !column.time              ? "number"
        : column.time->has_time() ? fmt::format("time as {}, or a date", to_string(*column.time))
                                  : "date as " + to_string(*column.time),
        column.missing_text ? ", or missing" : ""));
  }
  return *number;
}

/// Where a bin ends, which the last one of numbers that are not whole does behind its end.
double end_of(const ColumnCodes& column, size_t bin) {
  const double end = column.edges[bin + 1];
  return bin + 1 == column.num_bins() ? std::max(end, next_up(column.largest())) : end;
}

/// Of each bin which part lies from `low` to below `high`, over the largest of these.
std::vector<double> weights_within(const ColumnCodes& column, double low, double high) {
  std::vector<double> weights(column.num_codes(), 0);
  for (size_t bin = 0; bin < column.num_bins(); ++bin) {
    weights[bin] = column.part_of(bin, low, high);
    // Its largest number may be where it ends.
    if (low == column.edges[bin + 1] && low < end_of(column, bin)) weights[bin] = 1;
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight /= largest;
  return weights;
}

Given parse_value(const ColumnCodes& column, const std::string& value) {
  if (!column.is_numeric()) {
    const std::optional<uint32_t> code = column.code_of(value);
    if (!code) {
      refuse(fmt::format("--given {}={}: the column has no such value{}", column.name, value,
                         did_you_mean(value, column.values)));
    }
    return {{0, static_cast<int>(*code)}};
  }
  if (column.missing_text && (value == "missing" || value == *column.missing_text))
    return {{0, static_cast<int>(column.num_bins())}};
  constexpr std::string_view kTo = "..";
  const size_t split = value.find(kTo);
  const bool is_range = split != value.npos;
  const double lowest = column.edges.front();
  const double last = column.largest();
  const std::string from = value.substr(0, split);
  const std::string to = is_range ? value.substr(split + kTo.size()) : from;
  const double low = is_range && from.empty() ? lowest : parse_end(column, value, from);
  const double high =
      is_range && to.empty() ? last : parse_end(column, value, to) + rest_of_day(column, to);
  if (column.whole && !is_range && low != std::floor(low))
    refuse(fmt::format("--given {}={}: the column holds whole numbers", column.name, value));
  if (is_range && !(low <= high)) {
    refuse(fmt::format("--given {}={}: the first end of a range must not be above the second",
                       column.name, value));
  }
  const double begin = column.whole ? std::ceil(std::max(low, lowest)) : std::max(low, lowest);
  const double end =
      column.whole ? std::floor(std::min(high, last)) + 1 : next_up(std::min(high, last));
  // Of a day within which the bounds lie, only a part is possible.
  if (!(begin < end) || (!is_range && !(high >= lowest && low <= last))) {
    refuse(fmt::format("--given {}={}: {} between {} and {}", column.name, value,
                       is_range ? "the range must hold numbers" : "the value must lie",
                       column.text_of(lowest), column.text_of(last)));
  }
  return {{0, 0, weights_within(column, begin, end)}, std::pair(begin, end)};
}

std::vector<Given> parse_given(const std::vector<std::string>& entries,
                               const std::vector<ColumnCodes>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  std::vector<Given> result;
  for (const std::string& entry : entries) {
    const size_t split = find_outside_quotes(entry, '=');
    if (split == std::string::npos)
      refuse(fmt::format("--given needs COLUMN=VALUE, got {}", entry));
    const std::string name = without_quotes(entry.substr(0, split));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      refuse(fmt::format("--given {}: the model has no such column{}", name,
                         did_you_mean(name, names)));
    }
    const auto position = static_cast<int>(found - names.begin());
    const bool is_again = std::any_of(result.begin(), result.end(), [&](const Given& given) {
      return given.evidence.attribute == position;
    });
    if (is_again) refuse(fmt::format("--given names column {} twice", name));
    result.push_back(parse_value(columns[static_cast<size_t>(position)],
                                 without_quotes(entry.substr(split + 1))));
    result.back().evidence.attribute = position;
  }
  return result;
}

/// Narrows the bins at the ends of a range to it. Says of what rows are drawn where it is a part of
/// one bin; else "".
std::string narrow_bins(double begin, double end, ColumnCodes& column) {
  const uint32_t first = column.bin_of(begin);
  const uint32_t last = column.bin_of(column.whole ? end - 1 : next_down(end));
  double& lower = column.edges[first];
  double& upper = column.edges[last + 1];
  std::string note;
  if (first == last && (lower < begin || upper > end)) {
    const double greatest = column.whole ? end - 1 : next_down(end);
    note = fmt::format(
        "{0} is {1} in all rows; what else they hold is drawn for {2}, the bin of the model that "
        "{1} is in",
        column.name,
        begin == greatest
            ? column.text_of(begin)
            : fmt::format("{} to {}", column.text_of(begin), column.text_of(greatest)),
        column.whole ? fmt::format("{} to {}", column.text_of(std::ceil(lower)),
                                   column.text_of(std::ceil(upper) - 1))
                     : fmt::format("{:.6g} to {:.6g}", lower, upper));
  }
  lower = std::max(lower, begin);
  upper = std::min(end_of(column, last), end);
  return note;
}

/// The card of the rows, "" where none is asked for.
std::string card_text(const SynthSampleRequest& request, const SynthFile& file, int64_t num_rows) {
  if (request.card_path.empty()) return "";
  if (request.card_path == request.out_path) refuse("--card and --out must be different files");
  if (!file.released) {
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("{}: the model is of a version that kept nothing to write a card of; "
                            "leave --card out",
                            model_file(request.model_path).string()));
  }
  const DrawnRows drawn = {num_rows, request.draw, request.given};
  return request.card_path.extension() == ".json" ? to_text(rows_card_to_json(file, drawn))
                                                  : rows_card_to_markdown(file, drawn);
}

}  // namespace

SynthSampleReport sample_synthetic(const SynthSampleRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  if (request.num_rows)
    check_interval(kWhere, "rows", static_cast<double>(*request.num_rows), 1, 1e9);
  progress.stage(fmt::format("loading {}", model_file(request.model_path).string()));
  SynthFile file = load_synth_file(request.model_path);
  SynthSampleReport report;
  report.num_rows = request.num_rows.value_or(file.num_rows);
  // Of the model as it was released, before bins are narrowed to what is asked for.
  const std::string card = card_text(request, file, report.num_rows);
  Evidence evidence;
  for (const Given& given : parse_given(request.given, file.columns)) {
    evidence.push_back(given.evidence);
    if (!given.range) continue;
    const auto [begin, end] = *given.range;
    ColumnCodes& column = file.columns[static_cast<size_t>(given.evidence.attribute)];
    if (std::string note = narrow_bins(begin, end, column); !note.empty())
      report.notes.push_back(std::move(note));
  }
  check_row_format(request.format, file.columns);
  OutputFile out(request.out_path, request.force);
  std::optional<OutputFile> card_file;
  if (!request.card_path.empty()) card_file.emplace(request.card_path, request.force);
  std::unique_ptr<RandomSource> source;
  if (request.seed) {
    source = std::make_unique<SeededSource>(*request.seed);
  } else {
    source = std::make_unique<SecureSource>();
  }
  report.method = file.method;
  report.status = file.status;
  progress.stage(fmt::format("drawing {} rows", format_count(report.num_rows)));
  const CodedRows rows = draw_rows(file, report.num_rows, request.draw, evidence, *source);
  out.write(row_file(rows, file.columns, request.format, *source));
  out.commit();
  report.files = {request.out_path.string()};
  if (card_file) {
    card_file->write(card);
    card_file->commit();
    report.files.push_back(request.card_path.string());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise
