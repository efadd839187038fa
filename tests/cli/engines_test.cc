// SPDX-License-Identifier: Apache-2.0
// Releases from a table wherever it is, by the tool as its users run it.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/people.h"
#include "tests/data/engine/duckdb_files.h"
#include "tests/data/engine/postgres_server.h"

namespace equinoise::testing::engines_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The same people in a CSV file, a counted one, a Parquet file and a folder of two, DuckDB and,
/// where it is installed, PostgreSQL.
class Engines : public ::testing::Test {
 protected:
  Engines() {
    workspace_.write("people.toml", replaced(people_schema_with_sizes(134, 266), "reviewed = true",
                                             "reviewed = true\npublic_bins = 40"));
    std::filesystem::create_directory(workspace_.path("parts"));
    const std::string file = workspace_.path("people.csv");
    const auto copy = [&](const std::string& name, const std::string& where) {
      return "COPY (SELECT * FROM people WHERE " + where + ") TO '" +
             workspace_.path(name).string() + "' (FORMAT parquet)";
    };
    run_duckdb(workspace_.path("people.duckdb"),
               {"CREATE TABLE people AS FROM read_csv('" + file + "')", copy("all.parquet", "true"),
                copy("parts/1.parquet", "age < 50"), copy("parts/2.parquet", "age >= 50")});
    if (PostgresServer* server = shared_postgres()) {
      std::string rows;
      for (const std::string& line : lines_of_people()) rows += (rows.empty() ? "" : ", ") + line;
      server->execute(
          "DROP TABLE IF EXISTS people; CREATE TABLE people (age integer, city text, "
          "sex char(8), note text, label text); INSERT INTO people VALUES " +
          rows);
      postgres_ = server->address() + "#people";
    }
  }

  /// "(17, 'north', 'Female', NULL, 'no')"
  static std::vector<std::string> lines_of_people() {
    std::vector<std::string> lines;
    const std::string csv = people_csv();
    for (size_t begin = csv.find('\n') + 1; begin < csv.size();) {
      const size_t end = csv.find('\n', begin);
      std::string line = csv.substr(begin, end - begin);
      begin = end + 1;
      std::string values = "(";
      for (size_t field = 0; field < 5; ++field) {
        const size_t comma = std::min(line.find(','), line.size());
        const std::string cell = line.substr(0, comma);
        line.erase(0, std::min(comma + 1, line.size()));
        values += field == 0 ? cell : cell.empty() ? ", NULL" : ", '" + cell + "'";
      }
      lines.push_back(values + ")");
    }
    return lines;
  }

  /// Where the people are.
  std::vector<std::string> sources() const {
    std::vector<std::string> all = {
        "people.csv",
        "counted.csv",
        "all.parquet",
        "parts",
        "duckdb:people.duckdb#people",
        "adbc:duckdb?entrypoint=duckdb_adbc_init&dialect=duckdb&access_mode=READ_ONLY&path=" +
            workspace_.path("people.duckdb").string() + "#people"};
    if (!postgres_.empty()) all.push_back(postgres_);
    return all;
  }

  /// What a command leaves in a file of its folder `out`, under a test seed.
  std::string released(const Words& words, const std::string& source, const std::string& file) {
    const std::string out = "out" + std::to_string(++num_runs_);
    const ToolResult result = workspace_.run(
        join(words, {"--schema", "people.toml", "--data", source, "--out",
                     file.empty() ? out + ".json" : out, "--insecure-test-rng", "--seed", "7"}));
    EXPECT_EQ(result.exit_code, 0) << source << "\n" << result;
    return read_bytes(workspace_.path(file.empty() ? out + ".json" : out + "/" + file));
  }

  void expect_one_release(const Words& words, const std::string& file) {
    ASSERT_EQ(workspace_
                  .run({"count", "--schema", "people.toml", "--from", "people.csv", "--out",
                        "counted.csv", "--force"})
                  .exit_code,
              0);
    const auto without_run = [&](const std::string& text) {
      if (!file.empty()) return text;
      const Json json = Json::parse(text);
      return json.at("overall").dump() + json.at("strata").dump();
    };
    const std::string first = without_run(released(words, "people.csv", file));
    EXPECT_FALSE(first.empty());
    for (const std::string& source : sources())
      EXPECT_EQ(without_run(released(words, source, file)), first) << source;
  }

  Workspace workspace_;
  std::string postgres_;
  int num_runs_ = 0;
};

TEST_F(Engines, MeansAreTheSameFromEverySource) {
  expect_one_release({"means", "--columns", "age", "--by", "sex", "--epsilon", "1"}, "");
}

TEST_F(Engines, SyntheticRowsAreTheSameFromEverySource) {
  expect_one_release({"synth", "--method", "aim", "--epsilon", "1"}, "rows.csv");
}

TEST_F(Engines, RowsOfATableThatIsReadInBlocksAreTheSame) {
  const Words words = {"synth", "--method", "mst", "--epsilon", "1"};
  const std::string in_memory = released(words, "people.csv", "rows.csv");
  const Words in_blocks = join(words, {"--max-table-size", "0.004"});
  EXPECT_EQ(released(in_blocks, "people.csv", "rows.csv"), in_memory);
  expect_one_release(in_blocks, "rows.csv");
}

/// Full batches, whose sums do not depend on the order of the records.
TEST_F(Engines, ModelsOfFullBatchesAreTheSameFromEverySource) {
  expect_one_release({"train", "--method", "dpsgd", "--epsilon", "1", "--test-fraction", "0",
                      "--batch-size", "400", "--steps", "5"},
                     "model.json");
}

TEST_F(Engines, ARunFileRepeatsARunAndHoldsTheUrl) {
  const std::string url = "duckdb:people.duckdb#people";
  const std::string rows =
      released({"synth", "--method", "mst", "--epsilon", "1"}, url, "rows.csv");
  EXPECT_THAT(read_bytes(workspace_.path("out1/run.toml")), HasSubstr(url));
  const ToolResult again = workspace_.run({"synth", "--config", "out1/run.toml", "--out", "again"});
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(read_bytes(workspace_.path("again/rows.csv")), rows);
}

class PostgresTool : public Engines {
 protected:
  void SetUp() override {
    if (postgres_.empty())
      GTEST_SKIP() << "PostgreSQL is not installed; tools/setup.sh test installs it";
  }
};

/// A server that cannot be reached, a table that may not be read and a password that is wrong cost
/// nothing, and the password is nowhere.
TEST_F(PostgresTool, WhatFailsBeforeTheReadingEndsCostsNothing) {
  PostgresServer& server = *shared_postgres();
  server.execute(
      "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD 'canary-of-a-password'");
  ASSERT_EQ(workspace_
                .run({"ledger", "init", "--dataset", "people", "--epsilon", "2", "--delta", "1e-5",
                      "--relation", "replace_one", "--ledger", "people.ledger"})
                .exit_code,
            0);
  const std::string before = read_bytes(workspace_.path("people.ledger"));
  const auto fails = [&](const std::string& source, const std::string& reason) {
    const ToolResult result = workspace_.run(
        {"means", "--columns", "age", "--by", "sex", "--epsilon", "1", "--schema", "people.toml",
         "--data", source, "--ledger", "people.ledger", "--out", "means.json"});
    EXPECT_NE(result.exit_code, 0) << result;
    EXPECT_THAT(result.err, AllOf(HasSubstr(reason), Not(HasSubstr("canary"))));
    EXPECT_THAT(result.out, Not(HasSubstr("canary")));
    EXPECT_EQ(read_bytes(workspace_.path("people.ledger")), before) << source;
    EXPECT_FALSE(workspace_.has("means.json")) << source;
  };
  ::setenv("PGPASSWORD", "another-canary", 1);
  fails(server.address("reader") + "#people", "PGPASSWORD");
  ::setenv("PGPASSWORD", "canary-of-a-password", 1);
  fails(server.address("reader") + "#people", "GRANT SELECT");
  fails(server.address("reader") + "#persons", "persons");
  ::unsetenv("PGPASSWORD");
  fails("postgresql://reader:canary@nowhere/r#people", "holds a password");
  fails("postgresql://reader@/r?host=" + workspace_.path("nowhere").string() + "#people", "cannot");
}

}  // namespace
}  // namespace equinoise::testing::engines_test
