// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/duckdb_engine.h"

#include <filesystem>
#include <string>

#include "equinoise/data/table.h"
#include "equinoise/engines/engine_url.h"
#include "tests/data/table_files.h"
#include "tests/engines/duckdb_files.h"
#include "tests/test_support.h"

namespace equinoise::duckdb_engine_test {

using testing::run_duckdb;
using testing::write_parquet;
using testing::write_wide_decimals;

std::string problem_of_folder(const std::filesystem::path& folder) {
  return error_of(ErrorKind::kInput, [&] { open_parquet(folder, "parts")->columns(); });
}

TEST(DuckDbEngine, NamesTheFileOfAFolderThatCannotBeRead) {
  const TempFolder folder;
  write_parquet(folder.path() / "a.parquet", "SELECT 1 AS age");
  for (const char* content : {"", "PAR1 and no more", "age\n1\n"}) {
    folder.write_file("b.parquet", content);
    EXPECT_THAT(
        problem_of_folder(folder.path()),
        AllOf(HasSubstr("b.parquet: is not a readable Parquet file"), Not(HasSubstr("a.parquet"))))
        << content;
  }
}

/// DuckDB reads these as wrong numbers.
TEST(DuckDbEngine, RefusesDecimalsOfMoreThan38DigitsThatTheSchemaReads) {
  const TempFolder folder;
  write_wide_decimals(folder.path() / "a.parquet");
  const auto count = [&](const std::string& column, const std::string& ignored) {
    const Schema schema = parse_schema(
        "schema = \"equinoise/1\"\ndataset = \"s\"\nreviewed = true\n[public]\nnum_records = "
        "1\n[columns." +
            column + "]\ntype = \"numeric\"\nbounds = [0, 9]\nwhole = true\n[columns." + ignored +
            "]\ntype = \"ignored\"\n",
        "s");
    read_table(table_at(folder.path()), schema);
    read_table(folder.path() / "a.parquet", schema);
  };
  count("age", "wide");
  const std::string message = error_of(ErrorKind::kInput, [&] { count("wide", "age"); });
  EXPECT_THAT(message, AllOf(HasSubstr("'wide' is DECIMAL(39,2)"), HasSubstr("another program"),
                             Not(HasSubstr("view"))));
  write_parquet(folder.path() / "b.parquet", "SELECT 1.5::DOUBLE AS wide, 7 AS age");
  EXPECT_THAT(problem_of_folder(folder.path()), HasSubstr("b.parquet: has other columns"));
}

TEST(DuckDbEngine, SaysWhatToDoAboutATypeOfFilesAndOfDatabases) {
  const TempFolder folder;
  write_parquet(folder.path() / "parts.parquet", "SELECT ['x'] AS sex");
  run_duckdb(folder.path() / "d.duckdb", {"CREATE TABLE people AS SELECT ['x'] AS sex"});
  const Schema schema = parse_schema(
      "schema = \"equinoise/1\"\ndataset = \"s\"\nreviewed = true\n[public]\nnum_records = 1\n"
      "[columns.sex]\ntype = \"categorical\"\nvalues = [\"x\"]\n",
      "s");
  EXPECT_ERROR(kInput,
               AllOf(HasSubstr("'sex' is VARCHAR[]"), HasSubstr("write the files again"),
                     HasSubstr("duckdb:FILE#TABLE"), Not(HasSubstr("view"))),
               read_table(table_at(folder.path()), schema));
  EXPECT_ERROR(
      kInput, HasAll("'sex' is VARCHAR[]", "make a view"),
      read_table(engine_table("duckdb:" + (folder.path() / "d.duckdb").string() + "#people"),
                 schema));
}

TEST(DuckDbEngine, TellsAViewThatReadsFilesFromOneThatIsNotThere) {
  const TempFolder folder;
  const std::string file = write_parquet(folder.path() / "a.parquet", "SELECT 1 AS age").string();
  const std::filesystem::path database = folder.path() / "d.duckdb";
  run_duckdb(database, {"CREATE SCHEMA visits", "CREATE TABLE people AS FROM '" + file + "'",
                        "CREATE VIEW \"Of Files\" AS FROM '" + file + "'",
                        "CREATE VIEW visits.of_files AS FROM '" + file + "'",
                        "CREATE VIEW of_tables AS FROM people"});
  const auto problem = [&](const std::vector<std::string>& table) {
    return error_of(ErrorKind::kInput, [&] { open_duckdb(database, table, "d")->columns(); });
  };
  EXPECT_EQ(open_duckdb(database, {"of_tables"}, "d")->columns().size(), 1U);
  EXPECT_THAT(problem({"of files"}), HasAll("is a view", "CREATE TABLE"));
  EXPECT_THAT(problem({"visits", "of_files"}), HasSubstr("is a view"));
  EXPECT_THAT(problem({"of_files"}), HasSubstr("no such table or view"));
  EXPECT_THAT(problem({"nobody"}), HasSubstr("no such table or view"));
}

}  // namespace equinoise::duckdb_engine_test
