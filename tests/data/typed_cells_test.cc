// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/parquet_reader.h"
#include "equinoise/data/table.h"
#include "tests/data/formats/arrow_tables.h"
#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

// What a cell of a number, a time or a dictionary is read as follows from its text alone: a table
// is the same dataset, or the same error, as Parquet, as Arrow and as CSV of the texts.

namespace equinoise::typed_cells_test {

using testing::all_records;
using testing::Cells;
using testing::memory_table;
using testing::write_parquet;

/// Columns of every type, each with values that a rule may see in two ways. Arrow has no infinite
/// dates and times.
const std::vector<std::string> kColumns = {
    "[-9, 0, 1, NULL, 5, 90]::INTEGER[]",
    "[1, 0, 1, 0]::TINYINT[]",
    "[9007199254740992, 9007199254740993, -9007199254740993, 1234567890123456789, 5]::BIGINT[]",
    "[9223372036854775807, -9223372036854775808, 0]::BIGINT[]",
    "[18446744073709551615, 18446744073709551616 - 2048, 1]::UBIGINT[]",
    "[0.5, 1, -9, -0.0, 1e22, 5e-324, 1e300, 0.1, NULL]::DOUBLE[]",
    "['inf', '-inf', 'nan', '1']::DOUBLE[]",
    "[0.1, 1, 16777216, 1.5e10, 0.3, NULL]::FLOAT[]",
    "['inf', '-inf', 'nan', '0.25']::FLOAT[]",
    "[1.50, 0.05, -9.00, NULL]::DECIMAL(9, 2)[]",
    "[true, false, NULL, true]::BOOLEAN[]",
    "['2020-02-29', '1969-12-31', '1970-01-01', NULL]::DATE[]",
    "['0044-03-15 (BC)', '9999-12-31', '10000-01-01', '0001-01-01']::DATE[]",
    "['2020-02-29 23:59:59', '1969-12-31 23:59:59', '2020-03-01', NULL]::TIMESTAMP_S[]",
    "['2020-02-29 23:59:59.5', '1969-12-31 23:59:59.999', '2020-03-01']::TIMESTAMP_MS[]",
    "['2020-02-29 23:59:59.000001', '1969-12-31 23:59:59.999999', '2020-03-01']::TIMESTAMP[]",
    "['2020-02-29 23:59:59.000000001', '1969-12-31 23:59:59.999999999']::TIMESTAMP_NS[]",
    "['2020-02-29 23:59:59+02', '9999-12-31 23:30:00+00', '0001-01-01 00:30:00+00']::TIMESTAMPTZ[]",
    "['10:20:30', '00:00:00', NULL]::TIME[]",
    "['1', '1.0', ' 1', '01', 'yes', '', '2020-01-01', NULL]::VARCHAR[]",
    "['1', '0', 'one', 'zero', NULL, '1']::ENUM('zero', 'one', '0', '1')[]",
};

ColumnSchema numeric(const std::function<void(ColumnSchema&)>& change) {
  ColumnSchema column;
  column.name = "x";
  column.type = ColumnType::kNumeric;
  column.lower = -10;
  column.upper = 100'000'000'000;
  column.malformed = MalformedPolicy::kDrop;
  change(column);
  return column;
}

ColumnSchema of_times(TimeUnit unit, std::optional<int> offset, std::vector<std::string> marks) {
  return numeric([&](ColumnSchema& column) {
    column.time = TimeFormat{.unit = unit, .offset = offset};
    column.lower = -1e15;
    column.upper = 2e16;
    column.missing_values = std::move(marks);
  });
}

ColumnSchema categorical(std::vector<std::string> values, std::vector<std::string> marks) {
  ColumnSchema column;
  column.name = "x";
  column.values = std::move(values);
  column.missing_values = std::move(marks);
  column.missing = MissingPolicy::kCategory;
  column.unknown = UnknownPolicy::kOther;
  return column;
}

std::vector<ColumnSchema> columns() {
  std::vector<ColumnSchema> all = {
      numeric([](ColumnSchema& column) { column.malformed = MalformedPolicy::kStop; }),
      numeric([](ColumnSchema& column) { column.malformed = MalformedPolicy::kMissing; }),
      numeric([](ColumnSchema& column) { column.upper = 1e20; }),
      numeric([](ColumnSchema& column) { column.thousands = '.'; }),
      numeric([](ColumnSchema& column) { column.number_unit = "kg"; }),
      numeric([](ColumnSchema& column) { column.whole = true; }),
      numeric([](ColumnSchema& column) { column.missing = MissingPolicy::kCategory; }),
      numeric([](ColumnSchema& column) {
        column.missing = MissingPolicy::kFill;
        column.fill = 7;
      })};
  for (const char* mark : {"-9", "-9.0", "+1", "1.0", "0", "-0", "0.1", "0.10000000149011612",
                           "inf", "Infinity", "9007199254740993", "9007199254740992", "1e22", "nan",
                           "1234567890123456789", "5e-324", "true"}) {
    all.push_back(numeric([&](ColumnSchema& column) {
      column.missing_values = {mark};
      column.upper = 1e20;
    }));
    all.push_back(categorical({"0", "1"}, mark == std::string("0")
                                              ? std::vector<std::string>()
                                              : std::vector{std::string(mark)}));
  }
  for (const TimeUnit unit : {TimeUnit::kDay, TimeUnit::kMinute, TimeUnit::kSecond,
                              TimeUnit::kMillisecond, TimeUnit::kMicrosecond}) {
    all.push_back(of_times(unit, std::nullopt, {}));
    if (unit != TimeUnit::kDay) all.push_back(of_times(unit, 120, {}));
    all.push_back(of_times(unit, std::nullopt, {"1970-01-01", "NA"}));
  }
  all.push_back(of_times(TimeUnit::kDay, std::nullopt, {"infinity"}));
  all.push_back(categorical({"1.0", "2.0"}, {}));
  all.push_back(categorical({"1", "1.0"}, {}));
  all.push_back(categorical({"true", "false"}, {}));
  all.push_back(categorical({"no", "yes"}, {"1"}));
  all.push_back(categorical({"0.1", "0.5", "9007199254740993", "9007199254740992"}, {}));
  all.push_back(categorical({"2020-02-29", "1970-01-01", "-9", "1e+22"}, {}));
  return all;
}

/// A dataset, or the error instead of it, without the name of the table and the lines of a file.
std::string outcome_of(const TableSource& table, const Schema& schema, TableUse use) {
  std::string text;
  const auto add = [&](const auto& values) { text += fmt::format("{}\n", fmt::join(values, " ")); };
  try {
    const Dataset dataset = read_table(table, schema, use);
    for (const NumericColumn& column : dataset.numeric) {
      for (const double value : column.values) {
        EXPECT_FALSE(std::isnan(value));
        text += fmt::format("{:x} ", std::bit_cast<uint64_t>(value));
      }
      add(column.missing);
      add(column.dropped);
    }
    for (const CategoricalColumn& column : dataset.categorical) {
      add(column.codes);
      add(column.dropped);
    }
    add(dataset.contributes);
    add(dataset.unit_begin);
    add(dataset.num_rows_read);
    for (const ColumnIngestCounts& counts : dataset.counts) {
      text += fmt::format("{} {} {} {} {} {} {}\n", counts.missing, counts.malformed,
                          counts.first_malformed, counts.unknown, counts.clamped, counts.rounded,
                          counts.cut);
      for (const auto& form : counts.other_forms)
        text += fmt::format("{} {} {}\n", form.problem, form.first, form.count);
    }
    text += fmt::format("{} {}", dataset.num_dropped, dataset.num_without_unit);
  } catch (const Error& error) {
    text = error.what();
  }
  const size_t name = text.find(table.name());
  if (name != text.npos) text.erase(name, table.name().size());
  return std::regex_replace(text, std::regex(" \\(line \\d+\\)"), "");
}

/// The same table in three formats.
class SameTable {
 public:
  /// `query`: of DuckDB.
  SameTable(const TempFolder& folder, std::string query)
      : query_(std::move(query)), parquet_(write_parquet(folder.path() / "t.parquet", query_)) {
    ParquetReader reader{InputFile(parquet_)};
    std::string csv = fmt::format("{}\n", fmt::join(reader.header(), ","));
    for (const Cells& cells : all_records(reader)) {
      for (size_t i = 0; i < cells.size(); ++i)
        csv += (i == 0 ? "" : ",") + (cells[i] ? "\"" + *cells[i] + "\"" : "null");
      csv += '\n';
    }
    csv_ = folder.write_file("t.csv", csv);
  }

  /// Whether it is read, and not refused.
  bool is_read_alike(const Schema& schema, TableUse use, bool has_arrow = true) const {
    const std::string expected = outcome_of(csv_, schema, use);
    EXPECT_EQ(outcome_of(parquet_, schema, use), expected);
    if (has_arrow) {
      EXPECT_EQ(outcome_of(memory_table(query_), schema, use), expected);
    }
    return !expected.starts_with('[');
  }

 private:
  std::string query_;
  std::filesystem::path parquet_;
  std::filesystem::path csv_;
};

Schema schema_of(std::vector<ColumnSchema> columns) {
  Schema schema;
  schema.missing_values = {"", "null"};
  schema.columns = std::move(columns);
  return schema;
}

TEST(TypedCellsTest, AreReadAsTheirTextsAre) {
  const TempFolder folder;
  std::string query;
  for (size_t i = 0; i < kColumns.size(); ++i)
    query += fmt::format("{}unnest({}) AS x{}", i == 0 ? "SELECT " : ", ", kColumns[i], i);
  const SameTable table(folder, query);
  const std::vector<ColumnSchema> rules = columns();
  for (size_t i = 1; i < rules.size(); ++i) {
    SCOPED_TRACE(i);
    Schema schema = schema_of(std::vector<ColumnSchema>(kColumns.size(), rules[i]));
    for (size_t k = 0; k < kColumns.size(); ++k) schema.columns[k].name = fmt::format("x{}", k);
    EXPECT_TRUE(table.is_read_alike(schema, TableUse::kOther));
    if (rules[i].type != ColumnType::kNumeric || rules[i].time) continue;
    schema.public_bins = 16;
    EXPECT_TRUE(table.is_read_alike(schema, TableUse::kOther));
  }
}

TEST(TypedCellsTest, AreRefusedAndTellUnitsApartAsTheirTextsDo) {
  const TempFolder folder;
  int num_read = 0;
  for (const std::string& list : kColumns) {
    SCOPED_TRACE(list);
    const SameTable table(folder, "SELECT unnest(" + list + ") AS x");
    Schema schema = schema_of({columns()[0]});
    num_read += table.is_read_alike(schema, TableUse::kOther) ? 1 : 0;
    schema.missing_values.insert(schema.missing_values.end(), {"-9", "2020-02-29"});
    schema.columns[0].type = ColumnType::kIgnored;
    schema.unit = "x";
    EXPECT_TRUE(table.is_read_alike(schema, TableUse::kPrivateSize));
  }
  EXPECT_GT(num_read, 0);
  EXPECT_LT(num_read, std::ssize(kColumns));
}

TEST(TypedCellsTest, InfiniteTimesOfParquetAreNone) {
  const TempFolder folder;
  for (const char* type : {"DATE", "TIMESTAMP", "TIMESTAMPTZ"}) {
    const SameTable table(
        folder,
        fmt::format("SELECT unnest(['infinity', '-infinity', '2020-01-01']::{}[]) AS x", type));
    for (const std::vector<std::string>& marks : {std::vector<std::string>(), {"infinity"}}) {
      const Schema schema = schema_of({of_times(TimeUnit::kSecond, std::nullopt, marks)});
      EXPECT_TRUE(table.is_read_alike(schema, TableUse::kOther, false)) << type;
    }
  }
}

}  // namespace equinoise::typed_cells_test
