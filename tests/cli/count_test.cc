// SPDX-License-Identifier: Apache-2.0
// equinoise count, and commands that read tables which DuckDB counts.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "tests/cli/people.h"
#include "tests/engines/duckdb_files.h"

namespace equinoise::testing::count_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// The people of the workspace in a DuckDB database and in a folder of two Parquet files.
class Count : public ::testing::Test {
 protected:
  Count() {
    workspace_.write("people.toml", replaced(people_schema(), "reviewed = true",
                                             "reviewed = true\npublic_bins = 40"));
    std::filesystem::create_directory(workspace_.path("parts"));
    const std::string csv = "read_csv('" + workspace_.path("people.csv").string() + "')";
    const auto part = [&](const std::string& name, const std::string& where) {
      return "COPY (SELECT * FROM people WHERE " + where + ") TO '" +
             workspace_.path("parts/" + name).string() + "' (FORMAT parquet)";
    };
    run_duckdb(workspace_.path("people.duckdb"),
               {"CREATE TABLE people AS FROM " + csv, part("1.parquet", "age < 50"),
                part("2.parquet", "age >= 50")});
  }

  ToolResult count(const Words& more) const {
    return workspace_.run(join({"count", "--schema", "people.toml"}, more));
  }

  Workspace workspace_;
  const std::string url_ = "duckdb:people.duckdb#people";
};

TEST_F(Count, IsTheSameWhoeverCounts) {
  ASSERT_EQ(count({"--from", "people.csv", "--out", "here.csv"}).exit_code, 0);
  const std::string here = read_bytes(workspace_.path("here.csv"));
  EXPECT_THAT(here, StartsWith("age,city,sex,label,equinoise_count_bins40\n"));
  for (const std::string& from : {url_, std::string("parts")}) {
    const ToolResult result = count({"--from", from, "--out", "there.csv", "--force"});
    ASSERT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(read_bytes(workspace_.path("there.csv")), here) << from;
  }
  const ToolResult printed =
      count({"--from", "duckdb:people.duckdb", "--table", "people", "--out", "-"});
  EXPECT_EQ(printed.out, here);
}

TEST_F(Count, SaysThatItIsNotToBePublished) {
  const ToolResult result = count({"--from", url_});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, AllOf(HasSubstr("400 rows"), HasSubstr("NOT PRIVATE")));
  const Json json = json_of(count({"--from", "people.csv", "--json"}));
  expect_keys(json, {"notice", "source", "rows", "distinct_rows", "seconds", "notes", "files"});
  EXPECT_EQ(json["rows"], 400);
}

TEST_F(Count, PrintsTheStatementAndReadsNothing) {
  const ToolResult asked = count({"--from", url_, "--sql"});
  EXPECT_EQ(asked.exit_code, 0) << asked;
  EXPECT_THAT(asked.out, AllOf(HasSubstr("FROM \"people\""), HasSubstr("GROUP BY c0, c1, c2, c3")));
  const ToolResult offline = count({"--table", "visits.people", "--dialect", "spark", "--sql"});
  EXPECT_THAT(offline.out, HasSubstr("FROM `visits`.`people`"));
  const Json json = json_of(count({"--table", "p", "--dialect", "duckdb", "--sql", "--json"}));
  EXPECT_EQ(json["dialect"], "duckdb");
  EXPECT_EQ(json["statements"].size(), 1U);
  EXPECT_THAT(count({"--table", "p", "--sql"}).err, HasSubstr("--dialect"));
  EXPECT_THAT(count({"--from", "people.csv", "--sql"}).err, HasSubstr("no statement"));
}

TEST_F(Count, RefusesWhatItCannotDo) {
  const NothingChanges nothing(workspace_);
  const auto refuses = [&](const Words& words, const std::string& reason) {
    const ToolResult result = count(words);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(reason));
    nothing.check(reason);
  };
  refuses({}, "--from");
  refuses({"--from", "people.csv", "--table", "people"}, "--table");
  refuses({"--from", "duckdb:people.duckdb"}, "#people");
  refuses({"--from", url_, "--delimiter", ";"}, "--delimiter");
  refuses({"--from", url_, "--out", "people.duckdb", "--force"}, "read by this command");
  refuses({"--from", "parts", "--out", "parts/3.parquet"}, "read by this command");
  refuses({"--from", "duckdb:people.duckdb", "--table", "(SELECT 1)"}, "is no name");
  const ToolResult secret = count({"--from", "postgres://me:hush@db/r#t"});
  EXPECT_EQ(secret.exit_code, 2);
  EXPECT_THAT(secret.err, AllOf(HasSubstr("PGPASSWORD"), Not(HasSubstr("hush"))));
}

TEST_F(Count, IsRefusedWhereTheTableHasOtherRowsThanTheSchemaSays) {
  workspace_.write("people.toml", replaced(people_schema(401), "reviewed = true",
                                           "reviewed = true\npublic_bins = 40"));
  const ToolResult result = count({"--from", url_, "--out", "counted.csv"});
  EXPECT_EQ(result.exit_code, 3) << result;
  EXPECT_THAT(result.err, AllOf(HasSubstr("401"), HasSubstr("not private: 400 rows")));
  EXPECT_FALSE(workspace_.has("counted.csv"));
}

TEST_F(Count, OtherCommandsSayThatTheyNeedRecords) {
  const ToolResult draft = workspace_.run({"schema", "draft", "--data", url_});
  EXPECT_EQ(draft.exit_code, 2) << draft;
  EXPECT_THAT(draft.err, HasSubstr("give a file of the records"));
}

}  // namespace
}  // namespace equinoise::testing::count_test
