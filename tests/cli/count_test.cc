// SPDX-License-Identifier: Apache-2.0
// equinoise count, and commands that read tables which DuckDB counts.

#include <filesystem>
#include <string>

#include "tests/cli/people.h"
#include "tests/engines/duckdb_files.h"
#include "tests/matchers.h"

namespace equinoise::testing::count_test {
namespace {

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

  static Words count_words(const Words& more) { return join("count --schema people.toml", more); }
  ToolResult count(const Words& more) const { return workspace_.run(count_words(more)); }

  Workspace workspace_;
  const std::string url_ = "duckdb:people.duckdb#people";
};

TEST_F(Count, IsTheSameWhoeverCounts) {
  ok(count("--from people.csv --out here.csv"));
  const std::string here = workspace_.text("here.csv");
  EXPECT_THAT(here, StartsWith("age,city,sex,label,equinoise_count_bins40\n"));
  for (const std::string& from : {url_, std::string("parts")}) {
    ok(count({"--from", from, "--out", "there.csv", "--force"}));
    EXPECT_EQ(workspace_.text("there.csv"), here) << from;
  }
  const ToolResult printed = count("--from duckdb:people.duckdb --table people --out -");
  EXPECT_EQ(printed.out, here);
}

TEST_F(Count, SaysThatItIsNotToBePublished) {
  const ToolResult result = ok(count({"--from", url_}));
  EXPECT_THAT(result.out, HasAll("400 rows", "NOT PRIVATE"));
  const Json json = json_of(count("--from people.csv --json"));
  expect_keys(json, {"notice", "source", "rows", "distinct_rows", "seconds", "notes", "files"});
  EXPECT_EQ(json["rows"], 400);
}

TEST_F(Count, PrintsTheStatementAndReadsNothing) {
  const ToolResult asked = ok(count({"--from", url_, "--sql"}));
  EXPECT_THAT(asked.out, HasAll("FROM \"people\"", "GROUP BY c0, c1, c2, c3"));
  const ToolResult offline = count("--table visits.people --dialect spark --sql");
  EXPECT_THAT(offline.out, HasSubstr("FROM `visits`.`people`"));
  const Json json = json_of(count("--table p --dialect duckdb --sql --json"));
  EXPECT_EQ(json["dialect"], "duckdb");
  EXPECT_EQ(json["statements"].size(), 1U);
  EXPECT_THAT(count("--table p --sql").err, HasSubstr("--dialect"));
  EXPECT_THAT(count("--from people.csv --sql").err, HasSubstr("no statement"));
}

TEST_F(Count, RefusesWhatItCannotDo) {
  const std::vector<Refusal> refusals = {
      {{}, 2, "--from"},
      {"--from people.csv --table people", 2, "--table"},
      {"--from duckdb:people.duckdb", 2, "#people"},
      {{"--from", url_, "--delimiter", ";"}, 2, "--delimiter"},
      {{"--from", url_, "--out", "people.duckdb", "--force"}, 2, "read by this command"},
      {"--from parts --out parts/3.parquet", 2, "read by this command"},
      {{"--from", "duckdb:people.duckdb", "--table", "(SELECT 1)"}, 2, "is no name"},
  };
  expect_refusals(workspace_, refusals, count_words);
  const ToolResult secret = count("--from postgres://me:hush@db/r#t");
  EXPECT_EQ(secret.exit_code, 2);
  EXPECT_THAT(secret.err, AllOf(HasSubstr("PGPASSWORD"), Not(HasSubstr("hush"))));
}

TEST_F(Count, IsRefusedWhereTheTableHasOtherRowsThanTheSchemaSays) {
  workspace_.write("people.toml", replaced(people_schema(401), "reviewed = true",
                                           "reviewed = true\npublic_bins = 40"));
  expect_error(count({"--from", url_, "--out", "counted.csv"}), 3,
               {"401", "not private: 400 rows"});
  EXPECT_FALSE(workspace_.has("counted.csv"));
}

TEST_F(Count, OtherCommandsSayThatTheyNeedRecords) {
  expect_error(workspace_.run({"schema", "draft", "--data", url_}), 2,
               "give a file of the records");
}

}  // namespace
}  // namespace equinoise::testing::count_test
