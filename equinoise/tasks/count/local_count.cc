// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/count/local_count.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/codes/cell_coder.h"
#include "equinoise/data/codes/code_counter.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/table.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

/// Reports the rows read so far, and stops on an interruption.
class RowProgress {
 public:
  RowProgress(std::string name, TaskProgress& progress)
      : name_(std::move(name)), progress_(progress) {}

  void row_done() {
    constexpr int64_t kRowsBetween = 1 << 14;
    if (++num_rows_ % kRowsBetween != 0) return;
    if (progress_.interrupted())
      throw Error(ErrorKind::kRuntime, "tasks.count", "interrupted; nothing was written");
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
    throw Error(ErrorKind::kUsage, "tasks.count",
                fmt::format("{}: column '{}' says that it is a counted table already; give it to "
                            "other commands as it is, or count the table that it was made from",
                            records.name(), name));
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

}  // namespace

CountedTable count_here(const TableSource& table, const Schema& schema,
                        const std::vector<ColumnCoding>& codings, TaskProgress& progress) {
  return schema.has_unit_column() ? count_chosen_rows(table, schema, codings)
                                  : count_cells(table, schema, codings, progress);
}

}  // namespace equinoise
