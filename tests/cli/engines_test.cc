// SPDX-License-Identifier: Apache-2.0
// Releases from a table wherever it is, by the tool as its users run it.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/people.h"
#include "tests/engines/duckdb_files.h"
#include "tests/engines/postgres_server.h"
#include "tests/matchers.h"
#include "tests/schema_text.h"

namespace equinoise::testing::engines_test {
namespace {

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
    std::vector<std::string> all = {"people.csv", "counted.csv", "all.parquet", "parts",
                                    "duckdb:people.duckdb#people"};
    if (!postgres_.empty()) all.push_back(postgres_);
    return all;
  }

  /// What a command leaves in a file of its folder `out`, under a test seed.
  std::string released(const Words& words, const std::string& source, const std::string& file) {
    const std::string out = "out" + std::to_string(++num_runs_);
    ok(workspace_.run(
        join(words, {"--schema", "people.toml", "--data", source, "--out",
                     file.empty() ? out + ".json" : out, "--insecure-test-rng", "--seed", "7"})));
    return workspace_.text(file.empty() ? out + ".json" : out + "/" + file);
  }

  void expect_one_release(const Words& words, const std::string& file) {
    ok(workspace_.run("count --schema people.toml --from people.csv --out counted.csv --force"));
    const auto without_run = [&](const std::string& text) {
      if (!file.empty()) return text;
      const Json json = Json::parse(text);
      return json.value("overall", Json()).dump() + json.value("strata", Json()).dump() +
             json.value("figures", Json()).dump();
    };
    const std::string first = without_run(released(words, "people.csv", file));
    EXPECT_NE(first, "nullnullnull");
    for (const std::string& source : sources())
      EXPECT_EQ(without_run(released(words, source, file)), first) << source;
  }

  Workspace workspace_;
  std::string postgres_;
  int num_runs_ = 0;
};

TEST_F(Engines, MeansAreTheSameFromEverySource) {
  expect_one_release("means --columns age --by sex --epsilon 1", "");
}

TEST_F(Engines, TablesAreTheSameFromEverySource) {
  expect_one_release(
      "tables --by sex --count --mean age --median age --share city --histogram label --epsilon 1",
      "");
}

TEST_F(Engines, SyntheticRowsAreTheSameFromEverySource) {
  expect_one_release("synth --drop-incomplete --method aim --epsilon 1", "rows.csv");
}

TEST_F(Engines, RowsOfATableThatIsReadInBlocksAreTheSame) {
  const Words words = "synth --drop-incomplete --method mst --epsilon 1";
  const std::string in_memory = released(words, "people.csv", "rows.csv");
  const Words in_blocks = join(words, "--max-table-size 0.004");
  EXPECT_EQ(released(in_blocks, "people.csv", "rows.csv"), in_memory);
  expect_one_release(in_blocks, "rows.csv");
}

/// What nobody looks at is counted as one value, and cells that are none as ever: also what is
/// told of them is the same.
TEST_F(Engines, MeansDoNotDependOnColumnsThatNobodyAsksFor) {
  workspace_.write("gaps.toml",
                   schema_head("gaps", "", 400, "public_bins = 16\n") +
                       numeric_section("age", 17, 60, "missing = \"fill\"\nfill = 30\n") +
                       numeric_section("hours", 10, 40) + numeric_section("weight", 0, 3) +
                       categorical_section("sex", {"F", "M"}, "unknown = \"drop\"\n") +
                       categorical_section("city", {"north", "south"}, "unknown = \"drop\"\n") +
                       band_section("band", "age", "[40]"));
  std::string csv = "age,hours,weight,sex,city\n";
  std::string rows;
  for (int i = 0; i < 400; ++i) {
    const auto cell = [](bool is_there, const std::string& text) { return is_there ? text : ""; };
    const std::vector<std::string> cells = {cell(i % 7 > 0, std::to_string(17 + i % 50)),
                                            cell(i % 9 > 0, std::to_string(i % 60)),
                                            cell(i % 8 > 0, std::to_string(i % 4)),
                                            cell(i % 6 > 0, i % 5 == 0   ? "X"
                                                            : i % 3 == 0 ? "F"
                                                                         : "M"),
                                            cell(i % 10 > 0, i % 4 == 0   ? "east"
                                                             : i % 3 == 0 ? "north"
                                                                          : "south")};
    std::string values;
    for (size_t j = 0; j < cells.size(); ++j) {
      csv += (j > 0 ? "," : "") + cells[j];
      values += j > 0 ? ", " : "(";
      values += cells[j].empty() ? "NULL" : j > 2 ? "'" + cells[j] + "'" : cells[j];
    }
    csv += '\n';
    rows += (rows.empty() ? "" : ", ") + values + ")";
  }
  workspace_.write("gaps.csv", csv);
  run_duckdb(workspace_.path("gaps.duckdb"), {"CREATE TABLE gaps AS FROM read_csv('" +
                                              workspace_.path("gaps.csv").string() + "')"});
  std::vector<std::string> sources = {"duckdb:gaps.duckdb#gaps"};
  if (PostgresServer* server = shared_postgres()) {
    server->execute(
        "DROP TABLE IF EXISTS gaps; CREATE TABLE gaps (age integer, hours integer, weight integer, "
        "sex text, city text); INSERT INTO gaps VALUES " +
        rows);
    sources.push_back(server->address() + "#gaps");
  }
  const auto told = [&](const Words& words, const std::string& source) {
    const ToolResult result =
        ok(workspace_.run(join(words, {"--schema", "gaps.toml", "--data", source, "--json",
                                       "--insecure-test-rng", "--seed", "3"})));
    Json json = json_of(result);
    json.at("not_private").erase("seconds");
    for (const char* run : {"command", "seconds"}) json.erase(run);
    return json.dump(1);
  };
  const Words means = "means --relation zero_out --epsilon 1 --private-sizes --explain --columns";
  for (const Words& words : {join(means, "hours,age --by sex"), join(means, "hours --by band,city"),
                             join(means, "age --weight-column weight")}) {
    const std::string expected = told(words, "gaps.csv");
    EXPECT_THAT(expected, HasSubstr("city"));
    for (const std::string& source : sources) EXPECT_EQ(told(words, source), expected) << source;
  }
}

/// Full batches, whose sums do not depend on the order of the records.
TEST_F(Engines, ModelsOfFullBatchesAreTheSameFromEverySource) {
  expect_one_release(
      "train --method dpsgd --epsilon 1 --test-fraction 0 --batch-size 400 --steps 5",
      "model.json");
}

TEST_F(Engines, ARunFileRepeatsARunAndHoldsTheUrl) {
  const std::string url = "duckdb:people.duckdb#people";
  const std::string rows =
      released("synth --drop-incomplete --method mst --epsilon 1", url, "rows.csv");
  EXPECT_THAT(workspace_.text("out1/run.toml"), HasSubstr(url));
  const ToolResult again = ok(workspace_.run("synth --config out1/run.toml --out again"));
  EXPECT_EQ(workspace_.text("again/rows.csv"), rows);
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
  ok(
      workspace_.run("ledger init --dataset people --epsilon 2 --delta 1e-5 --relation replace_one "
                     "--ledger people.ledger"));
  const std::string before = workspace_.text("people.ledger");
  const auto fails = [&](const std::string& source, const std::string& reason) {
    const ToolResult result = workspace_.run(
        {"means", "--columns", "age", "--by", "sex", "--epsilon", "1", "--schema", "people.toml",
         "--data", source, "--ledger", "people.ledger", "--out", "means.json"});
    EXPECT_NE(result.exit_code, 0) << result;
    EXPECT_THAT(result.err, AllOf(HasSubstr(reason), Not(HasSubstr("canary"))));
    EXPECT_THAT(result.out, Not(HasSubstr("canary")));
    EXPECT_EQ(workspace_.text("people.ledger"), before) << source;
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

/// A table that nobody counts to the end, and the commands that read it.
class InterruptedEngines : public ::testing::Test {
 protected:
  InterruptedEngines() { workspace_.open_ledger("2", "--relation zero_out"); }

  static std::string endless(const std::string& rows) {
    return "SELECT 17 + i % 70 AS age, 'south' AS city, 'Male' AS sex, NULL AS note, 'no' AS label "
           "FROM " +
           rows;
  }

  /// Ctrl-C once `counts` says that the engine counts; then nothing has changed.
  void interrupt_each_command(const std::string& source, const std::function<void()>& counts) {
    workspace_.write("people.toml", replaced(people_schema(), "reviewed = true",
                                             "reviewed = true\npublic_bins = 40"));
    const NothingChanges nothing(workspace_);
    const Words paid = "--epsilon 1 --ledger people.ledger --out out";
    for (const Words& words :
         {join("means --columns age", paid), join("synth --drop-incomplete", paid),
          join("train --test-fraction 0", paid), Words{"schema", "check"}}) {
      ToolProcess process(join(words, {"--schema", "people.toml", "--data", source}),
                          workspace_.here(options_));
      counts();
      process.send(SIGINT);
      const ToolResult result = process.finish();
      EXPECT_EQ(result.exit_code, 1) << result;
      EXPECT_THAT(result.err,
                  HasSubstr("interrupted: this command wrote nothing and spent nothing"));
      EXPECT_THAT(result.out, IsEmpty());
      nothing.check(words.front());
    }
  }

  Workspace workspace_;
  ToolOptions options_;
};

TEST_F(InterruptedEngines, LeaveNoScratchFolder) {
  run_duckdb(workspace_.path("people.duckdb"),
             {"CREATE VIEW people AS " + endless("range(1000000000000) AS r(i)")});
  const TempFolder scratch;
  options_.environment = {{"TMPDIR", scratch.path()}};
  interrupt_each_command("duckdb:people.duckdb#people", [&] {
    for (int i = 0; i < 600 && std::filesystem::is_empty(scratch.path()); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(std::filesystem::is_empty(scratch.path()));
  });
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST_F(InterruptedEngines, LeaveNoStatementOnTheServer) {
  PostgresServer* server = shared_postgres();
  if (server == nullptr)
    GTEST_SKIP() << "PostgreSQL is not installed; tools/setup.sh test installs it";
  server->execute("DROP VIEW IF EXISTS endless; CREATE VIEW endless AS " +
                  endless("generate_series(1, 1000000000000) AS r(i)"));
  const auto wait_for_statements = [&](int num_statements) {
    server->execute(
        "DO $$ BEGIN FOR i IN 1..600 LOOP PERFORM pg_stat_clear_snapshot(); "
        "EXIT WHEN (SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '-- Counts%' AND state "
        "= 'active') = " +
        std::to_string(num_statements) +
        "; IF i = 600 THEN RAISE EXCEPTION 'not so many statements'; END IF; "
        "PERFORM pg_sleep(0.05); END LOOP; END $$");
  };
  interrupt_each_command(server->address() + "#endless", [&] { wait_for_statements(1); });
  wait_for_statements(0);
}

/// Where libpq cannot be loaded all else runs. A file that is no library hides the one that is.
TEST(WithoutLibpq, ItIsSaidWhatToInstall) {
  const Workspace workspace;
  workspace.write("people.toml", replaced(people_schema(), "reviewed = true",
                                          "reviewed = true\npublic_bins = 40"));
  workspace.write("libpq.so.5", "");
  const char* before = std::getenv("LD_LIBRARY_PATH");
  ToolOptions options;
  options.environment = {
      {"LD_LIBRARY_PATH",
       workspace.path("").string() + (before == nullptr ? "" : ":" + std::string(before))}};
  expect_error(
      workspace.run("count --schema people.toml --from postgres://reader@nowhere/registry#people",
                    options),
      1, {"libpq.so.5", "apt-get install libpq5"});
  ok(workspace.run("count --schema people.toml --from people.csv --out counted.csv", options));
}

}  // namespace
}  // namespace equinoise::testing::engines_test
