// SPDX-License-Identifier: Apache-2.0
// What an engine counts where somebody looks at the values of some columns only, or at some
// together, and as what numbers are counted.
#include "equinoise/engines/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/codes/cell_coder.h"
#include "equinoise/data/table.h"
#include "equinoise/data/values/printed_number.h"
#include "equinoise/engines/duckdb_engine.h"
#include "equinoise/engines/engine_url.h"
#include "equinoise/engines/postgres_engine.h"
#include "tests/engines/duckdb_files.h"
#include "tests/engines/postgres_server.h"
#include "tests/test_support.h"

namespace equinoise::engine_test {

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
    const Rows all = rows_of(engine.count(schema, column_codings(schema)));
    for (const std::vector<std::string>& used :
         {std::vector<std::string>{"age"}, {"dose", "ill"}, {"place", "born"}}) {
      const std::vector<ColumnCoding> codings = column_codings(schema, used);
      const Rows few = rows_of(engine.count(schema, codings));
      EXPECT_EQ(few, merged(all, codings)) << used.front() << has_units;
      EXPECT_LT(few.size(), all.size()) << used.front() << has_units;
    }
  }
}

/// How many rows have the codes of these columns.
Rows of_columns(const Rows& rows, const std::vector<ColumnCoding>& codings,
                const std::vector<std::string>& names) {
  Rows few;
  for (const auto& [codes, count] : rows) {
    std::vector<int32_t> kept;
    for (size_t i = 0; i < codes.size(); ++i)
      if (contains(names, codings[i].column().name)) kept.push_back(codes[i]);
    few[kept] += count;
  }
  return few;
}

/// Rows of sets are those of the table in each set, whatever cells lack a value, and in each column
/// of no set; in other columns together they need not be.
void expect_rows_of_sets(Engine& engine) {
  for (const bool has_units : {false, true}) {
    const Schema schema = schema_of(has_units);
    const ColumnSets sets = {{"ill", "age"}, {"ill", "dose"}, {"ill", "age"}};
    const std::vector<ColumnCoding> codings = column_codings(schema, {"ill", "age", "dose"});
    const CountedTable joint = engine.count(schema, codings);
    const CountedTable counted = engine.count(schema, codings, {sets});
    EXPECT_EQ(counted.num_units, joint.num_units);
    const Rows expected = rows_of(joint);
    const Rows rows = rows_of(counted);
    EXPECT_LT(rows.size(), expected.size());
    for (const std::vector<std::string>& names :
         {sets[0], sets[1], std::vector<std::string>{"born"}, {"place"}})
      EXPECT_EQ(of_columns(rows, codings, names), of_columns(expected, codings, names))
          << has_units;
  }
}

TEST(Engine, RowsOfSetsAreThoseOfTheTableInDuckDb) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "people.duckdb";
  run_duckdb(path, {people("range(3000) AS r(i)")});
  expect_rows_of_sets(*open_duckdb(path, {"people"}, "people"));
}

/// The codes of a column of DuckDB next to those of its cells in a CSV file.
void expect_codes_of_cells(const std::string& type, const std::string& column,
                           const std::vector<std::string>& cells, const std::string& bins) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "numbers.duckdb";
  std::string rows = "(NULL)";
  for (const std::string& cell : cells) rows += ", (CAST('" + cell + "' AS " + type + "))";
  run_duckdb(path, {"CREATE TABLE numbers (x " + type + ")", "INSERT INTO numbers VALUES " + rows});
  const Schema schema = parse_schema(
      "schema = \"equinoise/1\"\ndataset = \"toy\"\n" + bins +
          "\nmissing_values = [\"\", \"7\", \"-inf\"]\n[public]\nnum_records = 9\n[columns.x]\n" +
          column,
      "toy.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema);
  CellCoder coder(schema, codings.front());
  Rows expected = {{{CellCode::kMissing}, 1}};
  for (const std::string& cell : cells) ++expected[{coder.code_of(cell == "NaN" ? "" : cell)}];
  const auto engine = open_duckdb(path, {"numbers"}, "numbers");
  EXPECT_EQ(rows_of(engine->count(schema, codings)), expected) << type << "\n" << column;
}

/// At each edge of a bin, next to it, and where numbers are none.
TEST(Engine, NumbersAreInTheBinsOfTheirCells) {
  for (const std::string bounds : {"[17.3, 97.3]\npublic_bins = 97", "[-5, 5.1]\npublic_bins = 64",
                                   "[0, 1000]\npublic_bins = 50"}) {
    const std::string text =
        "type = \"numeric\"\nbounds = " + bounds.substr(0, bounds.find('\n')) + "\n";
    const std::string bins = bounds.substr(bounds.find('\n') + 1);
    const Schema schema = parse_schema("schema = \"equinoise/1\"\ndataset = \"toy\"\n" + bins +
                                           "\n[public]\nnum_records = 9\n[columns.x]\n" + text,
                                       "toy.toml");
    const ColumnCoding coding(schema, schema.column("x"));
    std::vector<std::string> doubles = {"NaN", "inf", "-inf", "-0.0", "0", "7", "7.5", "1e300"};
    std::vector<std::string> singles = doubles;
    const std::vector<double>& edges = coding.bins().edges();
    for (const double edge : edges) {
      PrintedNumber printed;
      for (const double number : {next_down(edge), edge, next_up(edge)})
        doubles.emplace_back(printed.print(number));
      const auto single = static_cast<float>(edge);
      for (const float number :
           {std::nextafter(single, -INFINITY), single, std::nextafter(single, INFINITY)})
        singles.emplace_back(printed.print(number));
    }
    singles.erase(std::ranges::find(singles, "1e300"));
    expect_codes_of_cells("DOUBLE", text, doubles, bins);
    expect_codes_of_cells("FLOAT", text, singles, bins);
    std::vector<std::string> decimals;
    std::vector<std::string> whole;
    for (int i = -1100; i <= 1100; ++i) {
      decimals.push_back(fmt::format("{:.2f}", i * 0.05));
      whole.push_back(std::to_string(i));
    }
    for (const std::string type :
         {"DECIMAL(7,2)", "DECIMAL(15,2)", "DECIMAL(16,2)", "DECIMAL(30,2)"})
      expect_codes_of_cells(type, text, decimals, bins);
    for (const std::string type : {"SMALLINT", "BIGINT", "HUGEINT"})
      expect_codes_of_cells(type, text + "whole = true\n", whole, bins);
    expect_codes_of_cells("DOUBLE", text + "whole = true\n", doubles, bins);
  }
}

TEST(Engine, LargeWholeNumbersAreCodedAsTheirCells) {
  const std::string large = "type = \"numeric\"\nwhole = true\nbounds = [0, 9007199254740991]\n";
  const std::vector<std::string> cells = {"9007199254740991",
                                          "9007199254740992",
                                          "9007199254740993",
                                          "-9223372036854775808",
                                          "9223372036854775807",
                                          "0",
                                          "1"};
  for (const std::string mark : {"", "9007199254740993", "9007199254740991", "9007199254740992"})
    expect_codes_of_cells("BIGINT", large + "missing_values = [\"" + mark + "\"]\n", cells,
                          "public_bins = 9");
}

TEST(Engine, ValuesThatNobodyLooksAtHaveOneCodeInDuckDb) {
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

TEST(Engine, OneAndZeroAreTruthsInEveryTypeOfNumbers) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "truths.duckdb";
  const Schema schema = schema_of_column("type = \"boolean\"\nvalues = [\"no\", \"yes\"]\n", 3);
  for (const std::string type : {"TINYINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(5,2)"}) {
    run_duckdb(path, {"CREATE OR REPLACE TABLE truths AS SELECT x::" + type +
                      " AS x FROM (VALUES (1), (0), (2)) AS v(x)"});
    const auto engine = open_duckdb(path, {"truths"}, "truths");
    EXPECT_EQ(rows_of(engine->count(schema, column_codings(schema))),
              (Rows{{{0}, 1}, {{1}, 1}, {{CellCode::kUnlisted}, 1}}))
        << type;
  }
}

TEST(Engine, ACountedRowIsNotNamedByItsNumber) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "doses.duckdb";
  run_duckdb(path, {"CREATE TABLE doses AS SELECT 0.5 AS x UNION ALL SELECT 1"});
  const Schema schema = schema_of_column(
      "type = \"numeric\"\nbounds = [0, 2]\nwhole = true\nmalformed = \"stop\"\n", 2);
  const TableSource doses = engine_table("duckdb:" + path.string() + "#doses");
  const auto records = open_described(doses, schema);
  EXPECT_ERROR(kInput,
               AllOf(HasSubstr(doses.name() + ": column 'x' is not a whole number"),
                     Not(HasSubstr("row 1"))),
               read_records(*records, schema, TableUse::kDescribed, CountedRows::kKept));
}

TEST(Engine, RowsOfSetsAreThoseOfTheTableInPostgres) {
  PostgresServer* server = shared_postgres();
  if (server == nullptr)
    GTEST_SKIP() << "PostgreSQL is not installed; tools/setup.sh test installs it";
  server->execute("DROP TABLE IF EXISTS people CASCADE; " +
                  people("generate_series(0, 2999) AS r(i)"));
  expect_rows_of_sets(*open_postgres(server->url({"people"})));
}

TEST(Engine, ValuesThatNobodyLooksAtHaveOneCodeInPostgres) {
  PostgresServer* server = shared_postgres();
  if (server == nullptr)
    GTEST_SKIP() << "PostgreSQL is not installed; tools/setup.sh test installs it";
  server->execute("DROP TABLE IF EXISTS people CASCADE; " +
                  people("generate_series(0, 2999) AS r(i)"));
  expect_one_code_for_unused_values(*open_postgres(server->url({"people"})));
}

}  // namespace equinoise::engine_test
