// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/count/count.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/engine_table.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/count/counted_file.h"
#include "equinoise/tasks/count/local_count.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.count";

CountedTable count_there(const TableSource& from, const Schema& schema,
                         const std::vector<ColumnCoding>& codings, TaskProgress& progress) {
  const std::unique_ptr<EngineSession> engine = from.engine()->open();
  try {
    return engine->count(schema, codings, {{}, [&] { return progress.interrupted(); }});
  } catch (const Error&) {
    if (!progress.interrupted()) throw;
  }
  throw Error(ErrorKind::kRuntime, kWhere, "interrupted; nothing was written");
}

std::vector<ColumnIngestCounts> ingest_counts(const CountedCodes& rows,
                                              const std::vector<ColumnCoding>& codings) {
  std::vector<ColumnIngestCounts> columns(codings.size());
  for (size_t i = 0; i < codings.size(); ++i) {
    const ColumnSchema& column = codings[i].column();
    columns[i].name = column.name;
    if (column.time) columns[i].value = column.time->has_time() ? "time" : "date";
    columns[i].has_other = column.unknown == UnknownPolicy::kOther;
    for (size_t row = 0; row < rows.num_rows(); ++row) {
      const int64_t count = rows.counts[row];
      switch (rows.codes[row * codings.size() + i]) {
        case CellCode::kMissing:
          columns[i].missing += count;
          break;
        case CellCode::kNoNumber:
          columns[i].malformed += count;
          break;
        case CellCode::kBelow:
        case CellCode::kAbove:
          columns[i].clamped += count;
          break;
        case CellCode::kUnlisted:
          columns[i].unknown += count;
          break;
        default:
          break;
      }
    }
  }
  return columns;
}

/// Refuses a table that every run would refuse, before anything of it is written.
void check_counted(const CountReport& report, const Schema& schema, TaskProgress& progress) {
  for (const ColumnIngestCounts& column : report.columns) {
    if (column.malformed == 0 || schema.column(column.name).malformed != MalformedPolicy::kStop)
      continue;
    progress.stage(fmt::format("not private: {} rows of column {} hold no {}",
                               format_count(column.malformed), column.name, column.value));
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("{}: column '{}' holds values that are no {}; set malformed = \"drop\" "
                            "or \"missing\" in the schema",
                            report.source, column.name, column.value));
  }
  const int64_t found = report.num_units.value_or(report.num_rows);
  if (schema.num_records == 0 || found == schema.num_records) return;
  const std::string_view what = report.num_units ? "units" : "rows";
  progress.stage(fmt::format("not private: {} {} were counted", format_count(found), what));
  throw Error(
      ErrorKind::kInput, kWhere,
      fmt::format("{}: does not have the {} {} that the schema says ({}); correct the "
                  "schema or count the table that it describes",
                  report.source, format_count(schema.num_records), what, schema.size_key()));
}

/// The information about missing cells that a counted table lacks; "" if it lacks none. From the
/// schema alone.
std::string filled_note(const Schema& schema) {
  std::vector<std::string_view> filled;
  for (const ColumnSchema& column : schema.columns)
    if (column.missing == MissingPolicy::kFill) filled.push_back(column.name);
  if (!schema.has_unit_column() || filled.empty()) return "";
  return fmt::format(
      "note: missing cells of {} are filled before rows of a {} are chosen and counted (missing = "
      "\"fill\"), and the counted table does not tell which these are; give synth, which keeps "
      "gaps, the table itself",
      fmt::join(filled, ", "), schema.unit);
}

}  // namespace

Schema load_counting_schema(SchemaFile file) {
  file.sizes = SizesRule::kMayBePrivate;
  file.missing = MissingUse::kKeep;  // for tasks with any treatment of missing cells
  return load_schema(file);
}

CountReport count_table(const CountRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const Schema schema = load_counting_schema(request.schema);
  std::vector<ColumnCoding> codings = column_codings(schema);
  const bool is_parquet = request.out_path.extension() == ".parquet";
  const bool is_csv = request.write || (!request.out_path.empty() && !is_parquet);
  if (is_csv) check_counted_csv(schema);
  if (!request.out_path.empty() && !request.write)
    require_not_input(request.out_path, {request.from, {}});
  progress.hold_interruptions();
  std::optional<OutputFile> out;
  if (!request.out_path.empty() && !request.write) out.emplace(request.out_path, request.force);
  progress.stage(fmt::format("counting {}", request.from.name()));
  warn_of_many_rows(request.from, schema, {}, progress);
  CountedTable table = request.from.is_engine()
                           ? count_there(request.from, schema, codings, progress)
                           : count_here(request.from, schema, codings, progress);
  if (progress.interrupted())
    throw Error(ErrorKind::kRuntime, kWhere, "interrupted; nothing was written");
  if (const std::string note = filled_note(schema); !note.empty()) progress.stage(note);
  CountReport report;
  report.source = request.from.name();
  report.num_distinct = static_cast<int64_t>(table.rows.num_rows());
  report.num_rows = std::accumulate(table.rows.counts.begin(), table.rows.counts.end(), int64_t{0});
  if (schema.has_unit_column()) report.num_units = table.num_units;
  report.columns = ingest_counts(table.rows, codings);
  check_counted(report, schema, progress);
  CountedReader records(report.source, schema, std::move(codings), std::move(table));
  const auto write_out = [&](std::string_view text) { out->write(text); };
  if (request.write) {
    write_counted_csv(records, schema, request.write);
  } else if (is_csv) {
    write_counted_csv(records, schema, write_out);
  } else if (is_parquet) {
    write_counted_parquet(records, write_out);
  }
  if (out) {
    out->commit();
    report.files = {request.out_path.string()};
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise
