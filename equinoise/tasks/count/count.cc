// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/count/count.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/quotes.h"
#include "equinoise/data/codes/cell_coder.h"
#include "equinoise/data/codes/code_counter.h"
#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/codes/counted_reader.h"
#include "equinoise/data/engine_table.h"
#include "equinoise/data/formats/parquet_writer.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/table.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.count";

[[noreturn]] void refuse_csv(const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, problem + "; give --out a name that ends in .parquet");
}

/// The text of a missing cell; empty if the schema has none.
std::optional<std::string> missing_text(const Schema& schema) {
  const std::vector<std::string>& marks = schema.missing_values;
  if (marks.empty()) return std::nullopt;
  const bool may_be_empty = contains(marks, "");
  return may_be_empty ? "" : marks.front();
}

std::string cell_between(const std::string& text, char delimiter) {
  return text.find(delimiter) == text.npos || delimiter == ',' ? csv_cell(text) : in_quotes(text);
}

/// Errors: kUsage if the schema could not read a counted table in CSV: a schema of tables without a
/// header, in another encoding than UTF-8, or without a text for missing cells.
void check_counted_csv(const Schema& schema) {
  if (!schema.layout.has_header) {
    refuse_csv("the schema describes tables without a header, and a counted one needs it");
  }
  if (schema.layout.encoding != Encoding::kUtf8)
    refuse_csv("the schema describes tables in another encoding than UTF-8");
  if (!missing_text(schema)) {
    refuse_csv("the schema lists no text of a missing cell in missing_values, which CSV needs");
  }
}

/// Writes counted records as CSV in the schema's layout. Pre: check_counted_csv().
void write_counted_csv(RecordReader& records, const Schema& schema,
                       const std::function<void(std::string_view)>& write) {
  constexpr size_t kPiece = size_t{1} << 16;
  const char delimiter = schema.layout.delimiter.value_or(',');
  const std::string missing = cell_between(*missing_text(schema), delimiter);
  std::string text;
  for (const std::string& name : records.header())
    text += (text.empty() ? "" : std::string(1, delimiter)) + cell_between(name, delimiter);
  text += '\n';
  while (records.next()) {
    for (size_t i = 0; i < records.header().size(); ++i) {
      const std::string_view cell = records.text(i);
      if (i > 0) text += delimiter;
      text += RecordReader::is_null(cell) ? missing : cell_between(std::string(cell), delimiter);
    }
    text += '\n';
    if (text.size() < kPiece) continue;
    write(text);
    text.clear();
  }
  write(text);
}

/// The same as a Parquet file: cells as texts, counts as whole numbers. Errors: kUsage for names of
/// columns that Parquet cannot hold.
void write_counted_parquet(RecordReader& records,
                           const std::function<void(std::string_view)>& write) {
  const std::vector<std::string>& names = records.header();
  ParquetWriter::check_names(names);
  std::vector<ParquetWriter::Column> columns;
  for (const std::string& name : names) columns.push_back({name, ParquetWriter::Type::kText});
  columns.back().type = ParquetWriter::Type::kInteger;
  ParquetWriter writer(columns);
  const auto add_row = [&] {
    if (!records.next()) return false;
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      const std::string_view cell = records.text(i);
      if (RecordReader::is_null(cell)) {
        writer.add_null();
      } else {
        writer.add(cell);
      }
    }
    const std::string_view text = records.text(names.size() - 1);
    int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    writer.add(count);
    return true;
  };
  writer.write(add_row, write);
}

/// Reports the rows read so far, and stops on an interruption.
class RowProgress {
 public:
  RowProgress(std::string name, TaskProgress& progress)
      : name_(std::move(name)), progress_(progress) {}

  void row_done() {
    constexpr int64_t kRowsBetween = 1 << 14;
    if (++num_rows_ % kRowsBetween != 0) return;
    stop_if_interrupted(&progress_);
    constexpr std::chrono::seconds kPause(5);
    if (Clock::now() - told_ < kPause) return;
    told_ = Clock::now();
    progress_.stage(fmt::format("counting {}: {} rows", name_, format_count(num_rows_)));
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::string name_;
  TaskProgress& progress_;
  int64_t num_rows_ = 0;
  Clock::time_point told_ = Clock::now();
};

void refuse_counted(const RecordReader& records) {
  for (const std::string& name : records.header()) {
    if (!parse_count_column(name)) continue;
    throw Error(ErrorKind::kUsage, kWhere,
                "{}: column '{}' says that it is a counted table already; give it to "
                "other commands as it is, or count the table that it was made from",
                records.name(), name);
  }
}

/// The position of each column in a table whose header fits.
std::vector<size_t> positions_of(const RecordReader& records, const Schema& schema,
                                 const std::vector<ColumnCoding>& codings) {
  std::vector<size_t> positions;
  for (const ColumnCoding& coding : codings) {
    const std::string& name = coding.column().name;
    size_t position = 0;
    if (records.has_header()) {
      while (records.header()[position] != name && records.written_name(position) != name)
        ++position;
    } else {
      while (schema.columns[position].name != name) ++position;
    }
    positions.push_back(position);
  }
  return positions;
}

CountedTable count_cells(const TableSource& table, const Schema& schema,
                         const std::vector<ColumnCoding>& codings, TaskProgress& progress) {
  const std::unique_ptr<RecordReader> records = open_described(table, schema);
  refuse_counted(*records);
  CodeCounter counter(codings);
  if (!records->header().empty()) {
    const TableBlocks checked(*records, schema, TableUse::kOther);  // refuses a header that does
                                                                    // not fit
    const std::vector<size_t> positions = positions_of(*records, schema, codings);
    std::vector<CellCoder> coders;
    for (const ColumnCoding& coding : codings)
      coders.emplace_back(schema, coding, records->decimal_mark());
    RowProgress rows(table.name(), progress);
    std::vector<int32_t> codes(codings.size());
    while (records->next()) {
      for (size_t i = 0; i < codes.size(); ++i)
        codes[i] = coders[i].code_of(records->text(positions[i]));
      counter.add(codes);
      rows.row_done();
    }
  }
  CountedTable counted{counter.take(), 0};
  counted.rows.sort();
  return counted;
}

/// The settled code of a cell that a dataset holds.
int32_t code_in_dataset(const Dataset& dataset, const ColumnCoding& coding, size_t row) {
  const std::string& name = coding.column().name;
  const auto is_set = [&](const std::vector<uint8_t>& flags) {
    return !flags.empty() && flags[row] != 0;
  };
  if (!coding.is_numeric()) {
    const CategoricalColumn& column = *dataset.find_categorical(name);
    return is_set(column.dropped) ? CellCode::kDropped : column.codes[row];
  }
  const NumericColumn& column = *dataset.find_numeric(name);
  if (is_set(column.dropped)) return CellCode::kDropped;
  if (is_set(column.missing)) return CellCode::kMissing;
  const double value = column.values[row];
  if (coding.column().whole && value != std::floor(value))
    return coding.settled(CellCode::kNoNumber);
  return static_cast<int32_t>(coding.bins().bin_of(value));
}

CountedTable count_chosen_rows(const TableSource& table, const Schema& schema,
                               const std::vector<ColumnCoding>& codings) {
  refuse_counted(*open_described(table, schema));
  const Dataset dataset = read_table(table, schema, TableUse::kPrivateSize);
  CodeCounter counter(codings);
  std::vector<int32_t> codes(codings.size());
  for (size_t row = 0; row < static_cast<size_t>(dataset.num_records); ++row) {
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = code_in_dataset(dataset, codings[i], row);
    counter.add(codes);
  }
  CountedTable counted{counter.take(), dataset.num_units()};
  counted.rows.sort();
  return counted;
}

/// Counts a table that is read here, with the result of an engine (data/engine_table.h). `codings`:
/// those of the schema. Errors: those of open_described and of its reader; kUsage for a counted
/// table; kRuntime if interrupted.
CountedTable count_here(const TableSource& table, const Schema& schema,
                        const std::vector<ColumnCoding>& codings, TaskProgress& progress) {
  return schema.has_unit_column() ? count_chosen_rows(table, schema, codings)
                                  : count_cells(table, schema, codings, progress);
}

CountedTable count_there(const TableSource& from, const Schema& schema,
                         const std::vector<ColumnCoding>& codings, TaskProgress& progress) {
  const std::unique_ptr<EngineSession> engine = from.engine()->open();
  try {
    return engine->count(schema, codings, {{}, &progress});
  } catch (const Error&) {
    stop_if_interrupted(&progress);
    throw;
  }
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
                "{}: column '{}' holds values that are no {}; set malformed = \"drop\" "
                "or \"missing\" in the schema",
                report.source, column.name, column.value);
  }
  const int64_t found = report.num_units.value_or(report.num_rows);
  if (schema.num_records == 0 || found == schema.num_records) return;
  const std::string_view what = report.num_units ? "units" : "rows";
  progress.stage(fmt::format("not private: {} {} were counted", format_count(found), what));
  throw Error(ErrorKind::kInput, kWhere,
              "{}: does not have the {} {} that the schema says ({}); correct the "
              "schema or count the table that it describes",
              report.source, format_count(schema.num_records), what, schema.size_key());
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
  stop_if_interrupted(&progress);
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
