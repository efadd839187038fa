// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/column_sinks.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/formats/delimiter.h"
#include "equinoise/data/formats/line_reader.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/schema/other_size.h"
#include "equinoise/data/unit_ids.h"
#include "equinoise/data/units.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {
namespace {

/// The most records that a row of a counted table may say that it stands for: engines add up
/// exactly to there.
constexpr int64_t kMaxCount = int64_t{1} << 53;

/// Whether it is read whose the rows are, where the schema has a column for that.
bool reads_units(TableUse use) {
  return use == TableUse::kDescribed || use == TableUse::kPrivateSize;
}

/// Whether a column says whose the rows are.
bool has_units(const ColumnSchema& column, const Schema& schema, TableUse use) {
  return reads_units(use) && schema.has_unit_column() && column.name == schema.unit;
}

/// The unit of a row, by the cell that names it; "" if that is missing.
std::string_view unit_id(std::string_view cell, const std::vector<std::string>& missing_values) {
  if (RecordReader::is_null(cell)) return "";
  const std::string_view id = without_blanks_around(cell);
  const bool is_missing = contains(missing_values, id);
  return is_missing ? std::string_view() : id;
}

/// The place of the counts of a counted table, and how they were made.
struct Counts {
  size_t position = 0;
  CountColumn column;
};

/// Those of a table; nothing if it is no counted one. Refuses one that was counted by another
/// schema.
std::optional<Counts> find_counts(const RecordReader& records, const Schema& schema) {
  if (!records.has_header()) return std::nullopt;
  std::optional<Counts> counts;
  for (size_t i = 0; i < records.header().size(); ++i) {
    const std::string& name = records.label(i);
    if (!is_like_count_column(name)) continue;
    const std::optional<CountColumn> column = parse_count_column(name);
    if (!column) {
      records.fail(
          fmt::format("column '{}' begins like the counts of a counted table, but is not called as "
                      "equinoise count calls them; rename it",
                      name));
    }
    if (counts) {
      records.fail(fmt::format("has two columns of counts, '{}' and '{}'; leave one of them out",
                               counts->column.name(), name));
    }
    if (const std::string problem = problem_of_count_column(*column, schema); !problem.empty())
      records.fail("the column of counts " + problem);
    counts = {i, *column};
  }
  return counts;
}

/// The number of records that a counted row represents.
int64_t count_of_row(const RecordReader& records, const Counts& counts) {
  const std::string_view cell = records.text(counts.position);
  const std::optional<int64_t> count =
      RecordReader::is_null(cell) ? std::nullopt : parse_count(cell, records.decimal_mark());
  if (!count || *count > kMaxCount) {
    records.fail_here(fmt::format(
        "column '{}' holds no whole number from 0 to 2^53, which says for how many records the row "
        "stands; count the table again, or write such a number, with digits alone",
        counts.column.name()));
  }
  return *count;
}

/// Whether a table must have a column.
bool is_required(const ColumnSchema& column, const Schema& schema, TableUse use, bool is_counted) {
  if (is_counted && column.type == ColumnType::kIgnored) return false;
  if (use == TableUse::kDescribed) return true;
  if (column.type == ColumnType::kIgnored) return has_units(column, schema, use);
  return use != TableUse::kFeaturesOnly || (column.feature && column.name != schema.target);
}

/// The same in a table without a header: the columns are those of the schema, in its order.
std::unordered_map<std::string_view, size_t> match_positions(const RecordReader& records,
                                                             const Schema& schema) {
  if (records.header().size() != schema.columns.size()) {
    records.fail(fmt::format(
        "has {} columns, but without a header it must have all {} of the schema, in its order",
        records.header().size(), schema.columns.size()));
  }
  std::unordered_map<std::string_view, size_t> positions;
  for (size_t i = 0; i < schema.columns.size(); ++i) positions.emplace(schema.columns[i].name, i);
  return positions;
}

/// Whether a table that is read without a header begins with the names of the columns.
bool has_header_as_record(RecordReader& records, const Schema& schema) {
  if (records.has_header() || records.header().size() != schema.columns.size()) return false;
  if (!records.next()) return false;
  for (size_t i = 0; i < schema.columns.size(); ++i) {
    const std::string_view cell = records.text(i);
    const std::string& name = schema.columns[i].name;
    if (cell != name && without_blanks_around(cell) != name) return false;
  }
  return true;
}

/// The names of a table's columns, each with the blanks around it where the schema declares it so.
std::vector<std::string> names_of_columns(const RecordReader& records,
                                          const std::unordered_set<std::string_view>& declared) {
  std::vector<std::string> names = records.header();
  bool is_any_changed = false;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& written = records.written_name(i);
    if (without_blanks_around(written).size() == written.size() || declared.count(written) == 0)
      continue;
    names[i] = written;
    is_any_changed = true;
  }
  if (!is_any_changed) return names;
  // A name may have got its suffix only because of the blanks of another.
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& repeated = records.repeated_name(i);
    if (names[i] == records.header()[i] && !repeated.empty() && !contains(names, repeated))
      names[i] = repeated;
  }
  return names;
}

/// Refuses a column that is read if its values have no text, or if the file has two of its name and
/// the schema does not speak of both.
void check_column(const RecordReader& records, const std::vector<std::string>& names,
                  const Schema& schema, const ColumnSchema& column, TableUse use) {
  if (column.type == ColumnType::kIgnored && !has_units(column, schema, use)) return;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (name == column.name && !records.is_readable(i)) {
      records.fail(fmt::format("column '{}' {}, or make it ignored in the schema", name,
                               records.column_problem(i)));
    }
    if (records.repeated_name(i) == column.name && schema.find_column(name) == nullptr) {
      records.fail(
          fmt::format("the header names column '{0}' twice; the second one is read as '{1}': add "
                      "[columns.{1}] to the schema, with type = \"ignored\" if it is not needed",
                      column.name, name));
    }
  }
}

/// Refuses a table that lacks columns, or has some that it must not have, and names all of them.
void check_names(const RecordReader& records, const std::vector<std::string>& names,
                 const Schema& schema, TableUse use, const std::optional<Counts>& counts,
                 const std::unordered_map<std::string_view, size_t>& positions) {
  std::string problems;
  const auto add = [&](const std::string& problem) {
    problems += (problems.empty() ? "" : "; ") + problem;
  };
  for (const ColumnSchema& column : schema.columns) {
    if (!is_required(column, schema, use, counts.has_value()) || positions.count(column.name) != 0)
      continue;
    add(fmt::format("the header lacks column '{}' of the schema{}", column.name,
                    nearest_in_it(column.name, names)));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (name.empty() || schema.find_column(name) != nullptr || use != TableUse::kDescribed ||
        (counts && counts->position == i))
      continue;
    add(fmt::format(
        "the schema does not declare column '{}'; add [columns.{}] with type = \"ignored\" to it",
        name, name));
  }
  if (!problems.empty() && schema.layout.encoding == Encoding::kLatin1 &&
      std::ranges::any_of(names, is_utf8_read_as_latin1)) {
    add("the header seems to be in UTF-8: give --encoding utf8, or leave encoding = \"latin1\" "
        "out of the schema");
  }
  if (!problems.empty()) records.fail(problems);
}

/// The position of each column of the schema in the table, if it is there.
std::unordered_map<std::string_view, size_t> match_header(const RecordReader& records,
                                                          const Schema& schema, TableUse use,
                                                          const std::optional<Counts>& counts) {
  const std::vector<std::string>& header = records.header();
  std::unordered_map<std::string_view, size_t> positions;
  if (header.empty()) {  // rows name the columns, and there are none
    if (use != TableUse::kPrivateSize) records.fail("has no rows");
    for (const ColumnSchema& column : schema.columns) positions.emplace(column.name, 0);
    return positions;
  }
  if (!records.has_header()) return match_positions(records, schema);
  std::unordered_set<std::string_view> declared;
  for (const ColumnSchema& column : schema.columns) declared.insert(column.name);
  const std::vector<std::string> names = names_of_columns(records, declared);
  const bool is_header = std::ranges::any_of(
      names, [&](const std::string& name) { return declared.count(name) != 0; });
  if (!is_header && records.has_header_line()) {
    // It may be data, so nothing of it is quoted.
    records.fail(
        "the header line names no column of the schema; if the file has no header, write header = "
        "false under [table] of the schema or give --no-header");
  }

  for (size_t i = 0; i < names.size(); ++i) {
    const auto name = declared.find(names[i]);
    if (name != declared.end()) positions.emplace(*name, i);
  }
  for (const ColumnSchema& column : schema.columns)
    check_column(records, names, schema, column, use);
  check_names(records, names, schema, use, counts, positions);
  return positions;
}

/// Number of rows to make room for. The schema's number is not verified yet: it must not take all
/// memory.
size_t num_expected_rows(const Schema& schema, TableUse use) {
  constexpr size_t kMaxRows = size_t{1} << 24;
  constexpr size_t kMaxTableCells = size_t{1} << 28;
  if (use != TableUse::kDescribed) return 0;
  return std::min({static_cast<size_t>(schema.num_records), kMaxRows,
                   kMaxTableCells / std::max<size_t>(schema.columns.size(), 1)});
}

/// Refuses counted rows of fewer or more units than can have them.
void check_counted_units(const RecordReader& records, const Schema& schema,
                         const Dataset& dataset) {
  if (!dataset.num_counted_units) return;
  const int64_t num_units = *dataset.num_counted_units;
  const int64_t num_rows = dataset.total_records();
  if (num_units <= num_rows && num_rows <= num_units * schema.max_records_per_unit) return;
  records.fail(
      "has counts that are not those of as many units as the name of their column says, with at "
      "most max_records_per_unit rows of each; count it again");
}

/// Gives each record of counted rows a row of its own, or says why it has none.
void expand(const RecordReader& records, bool is_of_units, Dataset& dataset) {
  if (is_of_units) {
    records.fail(
        "has counted rows, which do not say whose they are, but the schema has a column of units; "
        "give a file of all records: of the commands that protect units only means and synth "
        "take counted rows");
  }
  if (const std::string problem = why_no_room(expanded_bytes(dataset)); !problem.empty()) {
    records.fail(
        fmt::format("has counted rows that stand for {} records, and a row for each {}; "
                    "use a machine with more, or a table of fewer records",
                    dataset.total_records(), problem));
  }
  expand_rows(dataset);
}

}  // namespace

std::unique_ptr<RecordReader> open_described(const TableSource& table, const Schema& schema,
                                             const EngineOptions& engine) {
  if (table.is_engine()) {
    const HeldInterruptions held(engine.progress);
    std::vector<ColumnCoding> codings = codings_for(schema, engine.sets);
    CountedTable counted;
    try {
      counted = table.engine()->open()->count(schema, codings, engine);
    } catch (const Error&) {
      stop_if_interrupted(engine.progress);
      throw;
    }
    return std::make_unique<CountedReader>(table.name(), schema, std::move(codings),
                                           std::move(counted));
  }
  return open_described(start_table(table, schema.layout), schema);
}

std::unique_ptr<RecordReader> open_described(TableStart start, const Schema& schema) {
  if (start.csv && start.layout.has_header) {
    const std::string_view head = start.csv->block();
    const char shown = delimiter_of_header(head, schema);
    const char stated = start.layout.delimiter.value_or(shown);
    if (num_columns_named(head, stated, schema) == 0 &&
        num_columns_named(head, shown, schema) > 0) {
      fail_in_file(start.csv->name(),
                   fmt::format("has {} between the names of its columns, not {}; give --delimiter, "
                               "or correct [table] of the schema",
                               delimiter_name(shown), delimiter_name(stated)));
    }
    start.layout.delimiter = stated;
  }
  return open_table(std::move(start));
}

Dataset read_table(const TableSource& table, const Schema& schema, TableUse use,
                   CountedRows counted, const EngineOptions& engine) {
  return read_records(*open_described(table, schema, engine), schema, use, counted);
}

void refuse_header_as_record(const TableSource& table, const Schema& schema) {
  if (table.is_engine()) return;  // which names its columns
  const std::unique_ptr<RecordReader> records = open_described(table, schema);
  if (!has_header_as_record(*records, schema)) return;
  records->fail(
      "begins with the names of the columns, but is to be read without a header; leave out "
      "--no-header, or header = false in the schema");
}

bool header_fits(const TableSource& table, const Schema& schema) {
  try {
    const std::unique_ptr<RecordReader> records = open_described(table, schema);
    match_header(*records, schema, TableUse::kOther, find_counts(*records, schema));
    return !has_header_as_record(*records, schema);
  } catch (const Error&) {
    return false;
  }
}

/// The readers of the columns of a table.
class TableBlocks::Sinks {
 public:
  Sinks(RecordReader& records, const Schema& schema, TableUse use, const BlockOptions& options)
      : records_(records), schema_(schema), use_(use), counts_(find_counts(records, schema)) {
    if (counts_ && !options.takes_counts) {
      records.fail(
          "its column equinoise_count... makes it a table of counted rows, which stand for several "
          "records each, but this takes records one by one; leave the column out to have each row "
          "taken once");
    }
    const std::unordered_map<std::string_view, size_t> positions =
        match_header(records, schema, use, counts_);
    if (!counts_) num_expected_ = num_expected_rows(schema, use);
    // Sinks point to the columns of the schema.
    numeric_.reserve(schema.columns.size());
    categorical_.reserve(schema.columns.size());
    for (const ColumnSchema& column : schema.columns) {
      const auto position = positions.find(column.name);
      if (position == positions.end()) continue;
      if (column.type == ColumnType::kNumeric) {
        numeric_.emplace_back(schema, column, position->second, options.is_strict);
      } else if (column.type == ColumnType::kCategorical) {
        categorical_.emplace_back(schema, column, position->second, options.is_strict);
      } else if (has_units(column, schema, use) && !counts_) {
        unit_position_ = position->second;
      }
    }
    for (const std::string& name : options.kept) kept_positions_.push_back(position_of(name));
  }

  Dataset next(int64_t max_records) {
    const auto num_expected =
        static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(num_expected_), max_records));
    for (NumericSink& sink : numeric_) sink.column().values.reserve(num_expected);
    for (CategoricalSink& sink : categorical_) sink.column().codes.reserve(num_expected);
    Dataset dataset;
    dataset.contributes.reserve(num_expected);
    kept_.clear();
    while (std::ssize(dataset.contributes) < max_records && records_.next()) {
      const int64_t count = counts_ ? count_of_row(records_, *counts_) : 1;
      if (count == 0) continue;  // it stands for nobody
      if (counts_) add_count(count, dataset);
      bool contributes = true;
      for (NumericSink& sink : numeric_) contributes &= sink.append(records_, count);
      for (CategoricalSink& sink : categorical_) contributes &= sink.append(records_, count);
      if (unit_position_) add_unit(unit_id(records_.text(*unit_position_), schema_.missing_values));
      for (const size_t position : kept_positions_) kept_.emplace_back(records_.text(position));
      dataset.contributes.push_back(contributes ? 1 : 0);
      if (!contributes) num_dropped_ += count;
    }
    const size_t num_records = dataset.contributes.size();
    dataset.num_records = static_cast<int64_t>(num_records);
    dataset.num_dropped = num_dropped_;
    if (counts_) dataset.num_counted_units = counts_->column.num_units;
    for (NumericSink& sink : numeric_) {
      dataset.counts.push_back(sink.counts());
      dataset.numeric.push_back(sink.take(num_records));
    }
    for (CategoricalSink& sink : categorical_) {
      dataset.counts.push_back(sink.counts());
      dataset.categorical.push_back(sink.take(num_records));
    }
    return dataset;
  }

  void finish(CountedRows counted, Dataset& all) const {
    if (all.num_records == 0 && use_ != TableUse::kPrivateSize) {
      records_.fail(is_counted() ? "has no row that stands for anybody"
                                 : "has a header but no rows");
    }
    if (!is_of_units()) all.num_counted_units.reset();
    if (is_counted()) {
      check_counted_units(records_, schema_, all);
    } else if (is_of_units()) {
      keep_rows_of_units(units_, schema_, all);
    }
    const bool is_size_public = use_ == TableUse::kDescribed && schema_.num_records > 0;
    if (is_size_public && all.num_units() != schema_.num_records) {
      records_.fail(fmt::format("has {} {}, but the schema says {} = {}; {}", all.num_units(),
                                is_of_units()  ? schema_.units_name()
                                : is_counted() ? "records"
                                               : "rows",
                                is_of_units() ? "num_units" : "num_records", schema_.num_records,
                                kOtherSize));
    }
    if (is_counted() && counted == CountedRows::kExpanded) expand(records_, is_of_units(), all);
  }

  bool is_counted() const { return counts_.has_value(); }
  bool is_of_units() const { return schema_.has_unit_column() && reads_units(use_); }
  const std::vector<std::string>& kept() const { return kept_; }

 private:
  size_t position_of(const std::string& name) const {
    const std::vector<std::string>& header = records_.header();
    for (size_t i = 0; i < header.size(); ++i) {
      if (header[i] != name && records_.written_name(i) != name) continue;
      if (!records_.is_readable(i))
        records_.fail(fmt::format("column '{}' {}", name, records_.column_problem(i)));
      return i;
    }
    records_.fail(fmt::format("has no column '{}'{}", name, nearest_in_it(name, header)));
  }

  void add_count(int64_t count, Dataset& dataset) {
    if (count > kMaxRecords - num_counted_) {
      records_.fail_here(
          fmt::format("column '{}' makes the counts more than {} records together, the most of a "
                      "table; give a table of fewer records",
                      counts_->column.name(), kMaxRecords));
    }
    num_counted_ += count;
    dataset.row_counts.push_back(static_cast<uint32_t>(count));
  }

  /// Rows of units have numbers of 32 bits, however many units the schema says that there are.
  void add_unit(std::string_view id) {
    if (std::ssize(units_.of_rows()) == kMaxRecords)
      records_.fail(fmt::format("has more than {} rows", kMaxRecords));
    units_.add(id);
  }

  RecordReader& records_;
  const Schema& schema_;
  TableUse use_;
  std::optional<Counts> counts_;  ///< of a counted table
  int64_t num_counted_ = 0;
  size_t num_expected_ = 0;
  std::vector<NumericSink> numeric_;
  std::vector<CategoricalSink> categorical_;
  std::optional<size_t> unit_position_;
  UnitIds units_;
  std::vector<size_t> kept_positions_;
  std::vector<std::string> kept_;
  int64_t num_dropped_ = 0;
};

TableBlocks::TableBlocks(RecordReader& records, const Schema& schema, TableUse use,
                         BlockOptions options)
    : sinks_(std::make_unique<Sinks>(records, schema, use, options)) {}

TableBlocks::~TableBlocks() = default;

Dataset TableBlocks::next(int64_t max_records) { return sinks_->next(max_records); }

const std::vector<std::string>& TableBlocks::kept() const { return sinks_->kept(); }

bool TableBlocks::is_summable() const { return sinks_->is_counted() || !sinks_->is_of_units(); }

void TableBlocks::finish(CountedRows counted, Dataset& all) const { sinks_->finish(counted, all); }

Dataset read_records(RecordReader& records, const Schema& schema, TableUse use,
                     CountedRows counted) {
  TableBlocks blocks(records, schema, use, {.takes_counts = true});
  Dataset dataset = blocks.next(std::numeric_limits<int64_t>::max());
  blocks.finish(counted, dataset);
  return dataset;
}

}  // namespace equinoise
