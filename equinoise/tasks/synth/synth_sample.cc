// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/toml_section.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/predict/saved_model.h"
#include "equinoise/tasks/synth/synth_file.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth_sample";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, kWhere, message);
}

/// What rows are to have in a column.
struct Given {
  uint32_t code = 0;
  std::optional<double> number;  ///< of a numeric column
};

Given parse_value(const ColumnCodes& column, const std::string& value) {
  if (!column.is_numeric()) {
    const std::optional<uint32_t> code = column.code_of(value);
    if (!code) {
      refuse(fmt::format("--given {}={}: the column has no such value{}", column.name, value,
                         did_you_mean(value, column.values)));
    }
    return {*code, {}};
  }
  if (column.missing_text && (value == "missing" || value == *column.missing_text))
    return {static_cast<uint32_t>(column.num_bins()), {}};
  const std::optional<double> read = column.number_of(value);
  if (!read) {
    refuse(fmt::format("--given {}={}: the value must be a {}{}", column.name, value,
                       !column.time
                           ? "number"
                           : fmt::format("{} as {}", column.time->has_time() ? "time" : "date",
                                         to_string(*column.time)),
                       column.missing_text ? ", or missing" : ""));
  }
  const double number = *read;
  if (column.whole && number != std::floor(number))
    refuse(fmt::format("--given {}={}: the column holds whole numbers", column.name, value));
  const double last = column.largest();
  if (!(number >= column.edges.front() && number <= last)) {
    refuse(fmt::format("--given {}={}: the value must lie between {} and {}", column.name, value,
                       column.text_of(column.edges.front()), column.text_of(last)));
  }
  return {column.bin_of(number), number};
}

std::map<size_t, Given> parse_given(const std::vector<std::string>& entries,
                                    const std::vector<ColumnCodes>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  std::map<size_t, Given> given;
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
    const auto position = static_cast<size_t>(found - names.begin());
    const Given asked = parse_value(columns[position], without_quotes(entry.substr(split + 1)));
    if (!given.emplace(position, asked).second)
      refuse(fmt::format("--given names column {} twice", name));
  }
  return given;
}

/// Makes a bin that number alone, which all rows then have, and says of what rows they are drawn;
/// "" if it was so before.
std::string narrow_bin(const Given& given, ColumnCodes& column) {
  double& lower = column.edges[given.code];
  double& upper = column.edges[given.code + 1];
  const double number = *given.number;
  const double next = column.whole ? number + 1 : next_up(number);
  std::string note;
  if (lower < number || upper > next) {
    note = fmt::format(
        "{0} is {1} in all rows; what else they hold is drawn for {2}, the bin of the model that "
        "{1} is in",
        column.name, column.text_of(number),
        column.whole ? fmt::format("{} to {}", column.text_of(std::ceil(lower)),
                                   column.text_of(std::ceil(upper) - 1))
                     : fmt::format("{:.6g} to {:.6g}", lower, upper));
  }
  lower = number;
  upper = next;
  return note;
}

}  // namespace

SynthSampleReport sample_synthetic(const SynthSampleRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  if (request.num_rows)
    check_interval(kWhere, "rows", static_cast<double>(*request.num_rows), 1, 1e9);
  progress.stage(fmt::format("loading {}", model_file(request.model_path).string()));
  SynthFile file = load_synth_file(request.model_path);
  SynthSampleReport report;
  std::map<size_t, uint32_t> codes;
  for (const auto& [position, given] : parse_given(request.given, file.columns)) {
    codes.emplace(position, given.code);
    if (!given.number) continue;
    if (std::string note = narrow_bin(given, file.columns[position]); !note.empty())
      report.notes.push_back(std::move(note));
  }
  check_row_format(request.format, file.columns);
  OutputFile out(request.out_path, request.force);
  std::unique_ptr<RandomSource> source;
  if (request.seed) {
    source = std::make_unique<SeededSource>(*request.seed);
  } else {
    source = std::make_unique<SecureSource>();
  }
  report.method = file.method;
  report.status = file.status;
  report.num_rows = request.num_rows.value_or(file.num_rows);
  progress.stage(fmt::format("drawing {} rows", format_count(report.num_rows)));
  const CodedRows rows = draw_rows(file, report.num_rows, request.draw, codes, *source);
  out.write(row_file(rows, file.columns, request.format, *source));
  out.commit();
  report.files = {request.out_path.string()};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise
