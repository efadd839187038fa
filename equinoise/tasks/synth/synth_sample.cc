// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/synth/rows_card.h"
#include "equinoise/synth/given_values.h"
#include "equinoise/tasks/predict/saved_model.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth_sample";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

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
  upper = std::min(column.end_of(last), end);
  return note;
}

/// The card of the rows, "" where none is asked for.
std::string card_text(const SynthSampleRequest& request, const SynthFile& file, int64_t num_rows) {
  if (request.card_path.empty()) return "";
  if (request.card_path == request.out_path) refuse("--card and --out must be different files");
  if (!file.released) {
    throw Error(ErrorKind::kInput, kWhere,
                "{}: the model is of a version that kept nothing to write a card of; "
                "leave --card out",
                model_file(request.model_path).string());
  }
  const RowsCard card = rows_card(file, {num_rows, request.draw, request.given});
  return request.card_path.extension() == ".json" ? to_text(to_json(card))
                                                  : to_card(rows_document(card));
}

}  // namespace

SynthSampleReport sample_synthetic(const SynthSampleRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  if (request.num_rows)
    check_interval(kWhere, "rows", static_cast<double>(*request.num_rows), 1, 1e9);
  const std::filesystem::path path = model_file(request.model_path);
  progress.stage(fmt::format("loading {}", path.string()));
  SynthFile file = load_synth_file(path);
  SynthSampleReport report;
  report.num_rows = request.num_rows.value_or(file.num_rows);
  // The card is of the model as it was released, before bins are narrowed to what is asked for.
  const std::string card = card_text(request, file, report.num_rows);
  Evidence evidence;
  for (const Given& given : parse_given(request.given, file.columns, file.groups, "--given")) {
    evidence.push_back(given.evidence);
    if (!given.range) continue;
    const auto [begin, end] = *given.range;
    ColumnCodes& column = file.columns[static_cast<size_t>(given.evidence.attribute)];
    if (std::string note = narrow_bins(begin, end, column); !note.empty())
      report.notes.push_back(std::move(note));
  }
  check_row_format(request.format, file.columns);
  if (!request.write) progress.hold_interruptions();
  std::optional<OutputFile> out;
  if (!request.write) out.emplace(request.out_path, request.force);
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
  try {
    const std::unique_ptr<RowStream> rows =
        draw_rows(file, report.num_rows, request.draw, evidence, *source, progress);
    write_rows(
        *rows, report.num_rows, file.columns, request.format, *source,
        [&](std::string_view piece) { out ? out->write(piece) : request.write(piece); }, progress);
  } catch (const Error&) {
    if (!progress.interrupted()) throw;
    throw Error(ErrorKind::kRuntime, kWhere,
                out ? "interrupted: nothing was written" : "interrupted: the rows are incomplete");
  }
  if (out) {
    out->commit();
    report.files = {request.out_path.string()};
  }
  if (card_file) {
    card_file->write(card);
    card_file->commit();
    report.files.push_back(request.card_path.string());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise
