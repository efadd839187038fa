// SPDX-License-Identifier: Apache-2.0
// What statements say in each dialect, next to texts that are kept in golden/. With
// EQUINOISE_UPDATE_GOLDEN set the texts are written anew, to be read before they are committed.
#include "equinoise/engines/count_query.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "equinoise/engines/column_query.h"
#include "tests/test_support.h"

namespace equinoise::count_query_test {

constexpr const char* kSchema = R"(schema = "equinoise/1"
dataset = "people"
reviewed = true
public_bins = 4
missing_values = ["", "?", "-9"]
[public]
num_records = 10
[columns.age]
type = "numeric"
bounds = [17, 90]
whole = true
[columns.dose]
type = "numeric"
bounds = [-0.5, 2]
[columns.score]
type = "numeric"
bounds = [0, 1]
[columns.paid]
type = "numeric"
bounds = [0, 1000]
[columns.born]
type = "date"
bounds = ["1950-01-01", "1952-01-01"]
[columns.seen]
type = "timestamp"
bounds = ["2024-01-01T00:00:00", "2024-12-31T23:59:59"]
[columns.sent]
type = "timestamp"
format = "YYYY-MM-DD hh:mm+02:00"
bounds = ["2024-01-01 00:00+02:00", "2024-12-31 23:59+02:00"]
[columns.city]
type = "categorical"
values = ["it's \"here\"", "back\\slash", " indented", "last\nline"]
[columns."the ""arm"""]
type = "categorical"
values = ["1", "2"]
[columns.ill]
type = "categorical"
values = ["no", "yes"]
)";

std::string schema_text() {
  std::string text = kSchema;
  const std::string quoted = "\"the \"\"arm\"\"\"";
  text.replace(text.find(quoted), quoted.size(), "'the \"arm\"'");
  return text;
}

std::vector<EngineColumn> typed_columns() {
  return {{"age", EngineType::kInteger, "bigint"},
          {"dose", EngineType::kDouble, "double"},
          {"score", EngineType::kFloat, "real"},
          {"paid", EngineType::kDecimal, "DECIMAL(10,2)"},
          {"born", EngineType::kDate, "date"},
          {"seen", EngineType::kTimestamp, "timestamp"},
          {"sent", EngineType::kZonedTimestamp, "timestamptz"},
          {"city", EngineType::kText, "text"},
          {"the \"arm\"", EngineType::kInteger, "integer"},
          {"ill", EngineType::kBoolean, "boolean"},
          {"person", EngineType::kText, "text"}};
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(EQUINOISE_SOURCE_DIR) / "tests/engines/golden" / name;
  if (std::getenv("EQUINOISE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  const std::string kept((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, kept) << name;
}

TEST(CountQuery, IsInEachDialectAsKept) {
  const Schema schema = parse_schema(schema_text(), "people.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema);
  for (const auto& [dialect, name] : kDialects) {
    const EngineQuery query = count_query(dialect, schema, codings, typed_columns(),
                                          quoted_table(dialect, {"visits", "people"}));
    EXPECT_EQ(query.units, "");
    expect_golden(std::string(name) + ".sql", query.rows);
  }
}

/// Columns that nobody uses have one code for all of their values, and all codes of other cells.
TEST(CountQuery, TellsNoValuesApartThatNobodyUses) {
  const Schema schema = parse_schema(schema_text(), "people.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema, {"age", "ill"});
  const EngineQuery query =
      count_query(Dialect::kPostgres, schema, codings, typed_columns(), "people");
  expect_golden("postgres_unused.sql", query.rows);
}

TEST(CountQuery, CountsSetsOfColumnsInOneStatement) {
  const Schema schema = parse_schema(schema_text(), "people.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema, {"age", "ill"});
  EXPECT_THAT(
      count_query(Dialect::kPostgres, schema, codings, typed_columns(), "people",
                  {{{0, 9}, {1, 2}}})
          .rows,
      HasAll("SELECT COALESCE(c0, -10) AS a0, ", "GROUP BY GROUPING SETS ((c0, c9), (c1, c2))\n"));
}

TEST(CountQuery, ChoosesRowsOfUnitsInEachDialectAsKept) {
  const Schema schema = parse_schema(R"(schema = "equinoise/1"
dataset = "visits"
reviewed = true
unit = "person"
max_records_per_unit = 3
[public]
num_units = 10
[columns.person]
type = "ignored"
[columns.age]
type = "numeric"
bounds = [0, 3]
whole = true
missing = "category"
feature = false
malformed = "drop"
[columns.ill]
type = "categorical"
values = ["no", "yes"]
unknown = "other"
missing = "category"
)",
                                     "visits.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema);
  for (const auto& [dialect, name] : kDialects) {
    const EngineQuery query = count_query(dialect, schema, codings,
                                          {{"person", EngineType::kText, "text"},
                                           {"age", EngineType::kDouble, "double"},
                                           {"ill", EngineType::kText, "text"}},
                                          quoted_table(dialect, {"visits"}));
    expect_golden(std::string(name) + "_units.sql", query.units + query.rows);
  }
  const EngineQuery unused = count_query(Dialect::kDuckDb, schema, column_codings(schema, {"age"}),
                                         {{"person", EngineType::kText, "text"},
                                          {"age", EngineType::kDouble, "double"},
                                          {"ill", EngineType::kText, "text"}},
                                         "visits");
  expect_golden("duckdb_units_unused.sql", unused.rows);
}

TEST(CountQuery, NamesWhatTheTableLacks) {
  const Schema schema = parse_schema(schema_text(), "people.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema);
  std::vector<EngineColumn> columns = typed_columns();
  columns[0].name = "Age";
  EXPECT_ERROR(kInput, HasAll("no column 'age'", "'Age'"),
               count_query(Dialect::kDuckDb, schema, codings, columns, "t"));
}

TEST(CountQuery, CountsNoCountedRows) {
  const Schema schema = parse_schema(schema_text(), "people.toml");
  std::vector<EngineColumn> columns = typed_columns();
  columns.push_back({"EQUINOISE_COUNT", EngineType::kInteger, "BIGINT"});
  EXPECT_THAT(
      error_of(
          ErrorKind::kInput,
          [&] { count_query(Dialect::kDuckDb, schema, column_codings(schema), columns, "t"); }),
      HasSubstr("column 'EQUINOISE_COUNT'"));
}

TEST(ColumnQuery, RefusesTypesThatHoldOtherValuesThanTheSchemaSays) {
  const Schema schema = parse_schema(schema_text(), "people.toml");
  const auto refuses = [&](const std::string& name, EngineType type) {
    const ColumnCoding coding(schema, schema.column(name));
    EXPECT_THAT(
        error_of(
            ErrorKind::kInput,
            [&] {
              column_query(Dialect::kPostgres, schema, coding, {name, type, "the type"}, 0, false);
            }),
        HasAll("'" + name + "'", "the type", "view"));
  };
  refuses("age", EngineType::kText);
  refuses("age", EngineType::kBoolean);
  refuses("age", EngineType::kDate);
  refuses("born", EngineType::kTimestamp);
  refuses("born", EngineType::kInteger);
  refuses("seen", EngineType::kZonedTimestamp);
  refuses("sent", EngineType::kTimestamp);
  refuses("city", EngineType::kOther);
}

TEST(ColumnQuery, NeedsPublicBinsForNumbersThatAreNotWhole) {
  std::string text = schema_text();
  text.erase(text.find("public_bins = 4\n"), 16);
  const Schema schema = parse_schema(text, "people.toml");
  EXPECT_ERROR(kInput, HasAll("'dose'", "public_bins = 1024"), column_codings(schema));
}

}  // namespace equinoise::count_query_test
