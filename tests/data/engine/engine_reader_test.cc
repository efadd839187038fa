// SPDX-License-Identifier: Apache-2.0
// What an engine counts where somebody looks at the values of some columns only.
#include "equinoise/data/engine/engine_reader.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "equinoise/data/engine/duckdb_engine.h"
#include "equinoise/data/engine/postgres_engine.h"
#include "equinoise/data/table.h"
#include "tests/data/engine/duckdb_files.h"
#include "tests/data/engine/postgres_server.h"
#include "tests/test_support.h"

namespace equinoise::engine_reader_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PostgresServer;
using testing::run_duckdb;
using testing::shared_postgres;

using Rows = std::map<std::vector<int32_t>, int64_t>;

constexpr const char* kColumns = R"([columns.age]
type = "numeric"
bounds = [17, 90]
whole = true
missing = "category"
feature = false
[columns.dose]
type = "numeric"
bounds = [-0.5, 2]
malformed = "drop"
[columns.born]
type = "date"
bounds = ["1950-01-01", "1952-01-01"]
[columns.ill]
type = "categorical"
values = ["no", "yes"]
unknown = "drop"
[columns.place]
type = "categorical"
values = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"]
unknown = "other"
missing = "category"
)";

/// In SQL that both engines know; `rows`: a table of whole numbers "i".
std::string people(const std::string& rows) {
  return "CREATE TABLE people AS SELECT"
         "  CASE i % 7 WHEN 0 THEN NULL ELSE i % 100 END AS age,"
         "  CASE i % 11 WHEN 0 THEN CAST('NaN' AS DOUBLE PRECISION)"
         "    WHEN 1 THEN CAST('-Infinity' AS DOUBLE PRECISION) ELSE i / 900.0 END AS dose,"
         "  CAST('1950-01-01' AS DATE) + CAST(i % 800 AS INTEGER) AS born,"
         "  CASE i % 5 WHEN 0 THEN ' YES ' WHEN 1 THEN 'unheard of' ELSE 'no' END AS ill,"
         "  CASE i % 23 WHEN 22 THEN NULL WHEN 21 THEN 'nowhere' ELSE CAST(i % 23 AS VARCHAR(9)) "
         "END AS place,"
         "  CAST(i % 700 AS VARCHAR(9)) AS person FROM " +
         rows;
}

Schema schema_of(bool has_units) {
  const std::string units = has_units ? "unit = \"person\"\nmax_records_per_unit = 3\n" : "";
  return parse_schema(
      "schema = \"equinoise/1\"\ndataset = \"people\"\nreviewed = true\n"
      "public_bins = 8\n" +
          units + "[public]\nnum_" + (has_units ? "units" : "records") +
          " = 700\n[columns.person]\ntype = \"ignored\"\n" + kColumns,
      "people.toml");
}

Rows rows_of(const CountedTable& table) {
  Rows rows;
  for (size_t row = 0; row < table.rows.num_rows(); ++row) {
    const auto begin =
        table.rows.codes.begin() + static_cast<std::ptrdiff_t>(row * table.rows.num_columns);
    const auto [place, is_new] = rows.emplace(
        std::vector<int32_t>(begin, begin + static_cast<std::ptrdiff_t>(table.rows.num_columns)),
        table.rows.counts[row]);
    EXPECT_TRUE(is_new);
  }
  return rows;
}

/// All columns counted, and then the values of some no longer told apart.
Rows merged(const Rows& rows, const std::vector<ColumnCoding>& codings) {
  Rows few;
  for (const auto& [codes, count] : rows) {
    std::vector<int32_t> kept = codes;
    for (size_t i = 0; i < kept.size(); ++i)
      if (!codings[i].is_used()) kept[i] = std::min(kept[i], 0);
    few[kept] += count;
  }
  return few;
}

void expect_one_code_for_unused_values(Engine& engine) {
  for (const bool has_units : {false, true}) {
    const Schema schema = schema_of(has_units);
    const Rows all = rows_of(count_by_engine(engine, schema, column_codings(schema)));
    for (const std::vector<std::string>& used :
         {std::vector<std::string>{"age"}, {"dose", "ill"}, {"place", "born"}}) {
      const std::vector<ColumnCoding> codings = column_codings(schema, used);
      const Rows few = rows_of(count_by_engine(engine, schema, codings));
      EXPECT_EQ(few, merged(all, codings)) << used.front() << has_units;
      EXPECT_LT(few.size(), all.size()) << used.front() << has_units;
    }
  }
}

TEST(EngineReader, ValuesThatNobodyLooksAtHaveOneCodeInDuckDb) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "people.duckdb";
  run_duckdb(path, {people("range(3000) AS r(i)")});
  expect_one_code_for_unused_values(*open_duckdb(path, {"people"}, "people"));
}

Schema schema_of_column(const std::string& column, int num_records) {
  return parse_schema(
      "schema = \"equinoise/1\"\ndataset = \"toy\"\npublic_bins = 4\n[public]\n"
      "num_records = " +
          std::to_string(num_records) + "\n[columns.x]\n" + column,
      "toy.toml");
}

TEST(EngineReader, OneAndZeroAreTruthsInEveryTypeOfNumbers) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "truths.duckdb";
  const Schema schema = schema_of_column("type = \"boolean\"\nvalues = [\"no\", \"yes\"]\n", 3);
  for (const std::string type : {"TINYINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(5,2)"}) {
    run_duckdb(path, {"CREATE OR REPLACE TABLE truths AS SELECT x::" + type +
                      " AS x FROM (VALUES (1), (0), (2)) AS v(x)"});
    const auto engine = open_duckdb(path, {"truths"}, "truths");
    EXPECT_EQ(rows_of(count_by_engine(*engine, schema, column_codings(schema))),
              (Rows{{{0}, 1}, {{1}, 1}, {{CellCode::kUnlisted}, 1}}))
        << type;
  }
}

TEST(EngineReader, ACountedRowIsNotNamedByItsNumber) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "doses.duckdb";
  run_duckdb(path, {"CREATE TABLE doses AS SELECT 0.5 AS x UNION ALL SELECT 1"});
  const Schema schema = schema_of_column(
      "type = \"numeric\"\nbounds = [0, 2]\nwhole = true\nmalformed = \"stop\"\n", 2);
  const auto engine = open_duckdb(path, {"doses"}, "doses");
  const auto records = read_engine(*engine, schema);
  EXPECT_THAT(
      error_of(ErrorKind::kInput,
               [&] { read_records(*records, schema, TableUse::kDescribed, CountedRows::kKept); }),
      AllOf(HasSubstr(engine->name() + ": column 'x' is not a whole number"),
            Not(HasSubstr("row 1"))));
}

TEST(EngineReader, ValuesThatNobodyLooksAtHaveOneCodeInPostgres) {
  PostgresServer* server = shared_postgres();
  if (server == nullptr)
    GTEST_SKIP() << "PostgreSQL is not installed; tools/setup.sh test installs it";
  server->execute("DROP TABLE IF EXISTS people CASCADE; " +
                  people("generate_series(0, 2999) AS r(i)"));
  expect_one_code_for_unused_values(*open_postgres(server->url({"people"})));
}

}  // namespace
}  // namespace equinoise::engine_reader_test
