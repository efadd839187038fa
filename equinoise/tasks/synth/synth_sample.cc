// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
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

uint32_t code_of(const ColumnCodes& column, const std::string& value) {
  if (!column.is_numeric()) {
    const auto found = std::find(column.values.begin(), column.values.end(), value);
    if (found == column.values.end()) {
      refuse(fmt::format("--given {}={}: the column has no such value{}", column.name, value,
                         did_you_mean(value, column.values)));
    }
    return static_cast<uint32_t>(found - column.values.begin());
  }
  double number = 0;
  const char* end = value.data() + value.size();
  if (std::from_chars(value.data(), end, number).ptr != end || value.empty())
    refuse(fmt::format("--given {}={}: the value must be a number", column.name, value));
  if (number < column.edges.front() || number > column.edges.back()) {
    refuse(fmt::format("--given {}={}: the value must lie between {} and {}", column.name, value,
                       column.edges.front(), column.edges.back()));
  }
  return column.bin_of(number);
}

std::map<size_t, uint32_t> parse_given(const std::vector<std::string>& entries,
                                       const std::vector<ColumnCodes>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  std::map<size_t, uint32_t> given;
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
    if (!given
             .emplace(position, code_of(columns[position], without_quotes(entry.substr(split + 1))))
             .second)
      refuse(fmt::format("--given names column {} twice", name));
  }
  return given;
}

}  // namespace

SynthSampleReport sample_synthetic(const SynthSampleRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  if (request.num_rows)
    check_interval(kWhere, "rows", static_cast<double>(*request.num_rows), 1, 1e9);
  progress.stage(fmt::format("loading {}", model_file(request.model_path).string()));
  const SynthFile file = load_synth_file(request.model_path);
  const std::map<size_t, uint32_t> given = parse_given(request.given, file.columns);
  check_row_format(request.format, file.columns);
  OutputFile out(request.out_path, request.force);
  std::unique_ptr<RandomSource> source;
  if (request.seed) {
    source = std::make_unique<SeededSource>(*request.seed);
  } else {
    source = std::make_unique<SecureSource>();
  }
  SynthSampleReport report;
  report.method = file.method;
  report.status = file.status;
  report.num_rows = request.num_rows.value_or(file.num_rows);
  progress.stage(fmt::format("drawing {} rows", format_count(report.num_rows)));
  const CodedRows rows = draw_rows(file, report.num_rows, request.draw, given, *source);
  out.write(row_file(rows, file.columns, request.format, *source));
  out.commit();
  report.files = {request.out_path.string()};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise
