// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "equinoise/engines/engine_url.h"
#include "equinoise/tasks/input/table_files.h"
#include "tests/engines/duckdb_files.h"
#include "tests/engines/postgres_server.h"
#include "tests/test_support.h"

namespace equinoise::same_table_test {

bool is_same(const std::string& a, const std::string& b) {
  return is_same_table(table_at(a), table_at(b));
}

class SameTableTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name) { return folder_.write_file(name, "age\n1\n"); }

  TempFolder folder_;
};

TEST_F(SameTableTest, FilesAreKnownByWhatTheyAre) {
  const std::string people = file("people.csv");
  std::filesystem::create_hard_link(people, folder_.path() / "linked.csv");
  EXPECT_TRUE(is_same(people, folder_.path() / "." / "people.csv"));
  EXPECT_TRUE(is_same(people, folder_.path() / "linked.csv"));
  EXPECT_FALSE(is_same(people, file("others.csv")));
  EXPECT_FALSE(is_same_table(people, TableSource()));
}

TEST_F(SameTableTest, AFolderHoldsItsFiles) {
  const std::filesystem::path parts = folder_.path() / "parts";
  std::filesystem::create_directories(parts / "2024");
  testing::run_duckdb(
      folder_.path() / "made.duckdb",
      {"COPY (SELECT 1 AS a) TO '" + (parts / "2024" / "a.parquet").string() + "'"});
  EXPECT_TRUE(is_same(parts, parts));
  EXPECT_TRUE(is_same(parts / "2024", parts));
  EXPECT_TRUE(is_same(parts, parts / "2024"));
  EXPECT_TRUE(is_same(parts, parts / "2024" / "a.parquet"));
  EXPECT_TRUE(is_same(parts / "2024" / "a.parquet", parts));
  EXPECT_FALSE(is_same(parts, file("parts.csv")));
}

TEST_F(SameTableTest, TablesOfDuckDb) {
  const std::filesystem::path link = folder_.path() / "linked.duckdb";
  testing::run_duckdb(folder_.path() / "people.duckdb", {"CREATE TABLE people (a INT)"});
  std::filesystem::create_symlink(folder_.path() / "people.duckdb", link);
  const std::string people = "duckdb:" + (folder_.path() / "people.duckdb").string();
  EXPECT_TRUE(is_same(people + "#people", people + "#main.People"));
  EXPECT_TRUE(is_same(people + "#people", "duckdb:" + link.string() + "#people"));
  EXPECT_FALSE(is_same(people + "#people", people + "#others"));
  EXPECT_FALSE(is_same(people + "#people", people + "#other.people"));
}

class SamePostgresTableTest : public testing::PostgresTest {};

TEST_F(SamePostgresTableTest, TablesOfAServerAreKnownByWhatTheyAre) {
  server_->execute(
      "DROP TABLE IF EXISTS same_people, same_others; CREATE TABLE same_people (a int); "
      "CREATE TABLE same_others (a int)");
  const std::string people = server_->address() + "#same_people";
  const std::string again =
      "postgres" +
      server_->address("postgres", "&connect_timeout=9").substr(std::string("postgresql").size());
  EXPECT_TRUE(is_same(people, again + "#public.same_people"));
  EXPECT_FALSE(is_same(people, again + "#same_others"));
}

}  // namespace equinoise::same_table_test
