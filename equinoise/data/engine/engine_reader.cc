// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/engine_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/engine/count_query.h"
#include "equinoise/data/engine/interrupter.h"
#include "equinoise/data/schema/count_column.h"

namespace equinoise {

namespace {

[[noreturn]] void refuse_answer(const Engine& engine) {
  throw Error(ErrorKind::kRuntime, "data.engine",
              fmt::format("{}: the engine counted what cannot be: a code that no statement makes, "
                          "or more than 2^53 rows",
                          engine.name()));
}

/// A count that doubles hold, too.
int64_t count_of(int64_t count, int64_t least, const Engine& engine) {
  if (count < least || count > int64_t{1} << 53) refuse_answer(engine);
  return count;
}

bool is_code(int64_t code, const ColumnCoding& coding) {
  const int64_t num_codes = coding.is_numeric() ? static_cast<int64_t>(coding.bins().num_bins())
                                                : std::ssize(coding.column().categories());
  return code >= CellCode::kImpossible && code < num_codes;
}

/// Starts to count; the number of units, where the schema has a column of these.
int64_t start_count(Engine& engine, const Schema& schema,
                    const std::vector<ColumnCoding>& codings) {
  const EngineQuery query =
      count_query(engine.dialect(), schema, codings, engine.columns(), engine.table());
  int64_t num_units = 0;
  if (!query.units.empty()) {
    engine.start(query.units);
    const std::span<const int64_t> row = engine.next();
    if (row.size() != 1) refuse_answer(engine);
    num_units = count_of(row[0], 0, engine);
  }
  engine.start(query.rows);
  return num_units;
}

/// The next row, codes and their count; empty after the last one.
std::span<const int64_t> next_row(Engine& engine, const std::vector<ColumnCoding>& codings) {
  const std::span<const int64_t> row = engine.next();
  if (row.empty()) return row;
  if (row.size() != codings.size() + 1) refuse_answer(engine);
  for (size_t i = 0; i < codings.size(); ++i)
    if (!is_code(row[i], codings[i])) refuse_answer(engine);
  static_cast<void>(count_of(row.back(), 1, engine));
  return row;
}

/// Rows of an engine as they come.
class StreamedReader final : public CodeReader {
 public:
  StreamedReader(Engine& engine, const Schema& schema, std::vector<ColumnCoding> codings,
                 int64_t num_units, std::unique_ptr<Interrupter> interrupter)
      : CodeReader(engine.name(), schema, std::move(codings), num_units),
        engine_(engine),
        interrupter_(std::move(interrupter)) {}

  bool next() override {
    const std::span<const int64_t> row = next_row(engine_, codings());
    if (row.empty()) return false;
    show(row.first(codings().size()), row.back());
    return true;
  }

 private:
  Engine& engine_;
  std::unique_ptr<Interrupter> interrupter_;
};

std::unique_ptr<Interrupter> watch(Engine& engine, const std::function<bool()>& interrupted) {
  return interrupted ? std::make_unique<Interrupter>(engine, interrupted) : nullptr;
}

}  // namespace

void CountedCodes::sort() {
  std::vector<size_t> order(num_rows());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto row = [&](size_t i) {
    return codes.begin() + static_cast<std::ptrdiff_t>(i * num_columns);
  };
  const auto width = static_cast<std::ptrdiff_t>(num_columns);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(row(a), row(a) + width, row(b), row(b) + width);
  });
  CountedCodes sorted{num_columns, {}, {}};
  sorted.codes.reserve(codes.size());
  sorted.counts.reserve(counts.size());
  for (const size_t i : order) {
    sorted.codes.insert(sorted.codes.end(), row(i), row(i) + width);
    sorted.counts.push_back(counts[i]);
  }
  *this = std::move(sorted);
}

CountedTable count_by_engine(Engine& engine, const Schema& schema,
                             const std::vector<ColumnCoding>& codings,
                             const std::function<bool()>& interrupted) {
  const std::unique_ptr<Interrupter> interrupter = watch(engine, interrupted);
  CountedTable table;
  table.rows.num_columns = codings.size();
  table.num_units = start_count(engine, schema, codings);
  for (std::span<const int64_t> row = next_row(engine, codings); !row.empty();
       row = next_row(engine, codings)) {
    for (const int64_t code : row.first(codings.size()))
      table.rows.codes.push_back(static_cast<int32_t>(code));
    table.rows.counts.push_back(row.back());
  }
  table.rows.sort();
  return table;
}

CodeReader::CodeReader(std::string name, const Schema& schema, std::vector<ColumnCoding> codings,
                       int64_t num_units)
    : RecordReader(std::move(name)), codings_(std::move(codings)) {
  decimal_mark_ = schema.layout.decimal_comma ? ',' : '.';
  for (const ColumnCoding& coding : codings_) header_.push_back(coding.column().name);
  header_.push_back(CountColumn::of(schema, num_units).name());
  cells_.resize(header_.size());
  texts_.resize(codings_.size());
}

template <typename Code>
void CodeReader::show(std::span<const Code> codes, int64_t count) {
  for (size_t i = 0; i < codings_.size(); ++i) {
    const ColumnCoding& coding = codings_[i];
    const std::optional<std::string>& cell = coding.cell(static_cast<int32_t>(codes[i]));
    cells_[i] = cell ? std::string_view(*cell) : std::string_view();
    if (!cell || decimal_mark_ == '.' || !coding.is_numeric() || coding.column().time) continue;
    texts_[i] = *cell;
    std::replace(texts_[i].begin(), texts_[i].end(), '.', decimal_mark_);
    cells_[i] = texts_[i];
  }
  count_ = fmt::format("{}", count);
  cells_.back() = count_;
  ++row_;
}

CountedReader::CountedReader(std::string name, const Schema& schema,
                             std::vector<ColumnCoding> codings, CountedTable table)
    : CodeReader(std::move(name), schema, std::move(codings), table.num_units),
      table_(std::move(table)) {}

bool CountedReader::next() {
  const auto row = static_cast<size_t>(row_);
  if (row == table_.rows.num_rows()) return false;
  show(
      std::span<const int32_t>(table_.rows.codes).subspan(row * codings().size(), codings().size()),
      table_.rows.counts[row]);
  return true;
}

std::unique_ptr<RecordReader> read_engine(Engine& engine, const Schema& schema,
                                          const EngineOptions& options) {
  std::vector<ColumnCoding> codings = column_codings(schema, options.columns);
  CountedTable table = count_by_engine(engine, schema, codings, options.interrupted);
  return std::make_unique<CountedReader>(engine.name(), schema, std::move(codings),
                                         std::move(table));
}

std::unique_ptr<RecordReader> stream_engine(Engine& engine, const Schema& schema,
                                            const EngineOptions& options) {
  std::unique_ptr<Interrupter> interrupter = watch(engine, options.interrupted);
  std::vector<ColumnCoding> codings = column_codings(schema, options.columns);
  const int64_t num_units = start_count(engine, schema, codings);
  return std::make_unique<StreamedReader>(engine, schema, std::move(codings), num_units,
                                          std::move(interrupter));
}

}  // namespace equinoise
