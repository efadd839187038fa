// SPDX-License-Identifier: Apache-2.0
// Dates and timestamps from a table to a draft, rows, groups and predictions.

#include <cstdio>
#include <set>
#include <sstream>

#include "tests/cli/people.h"
#include "tests/matchers.h"
#include "tests/schema_text.h"

namespace equinoise::testing::dates_test {
namespace {

using ::testing::MatchesRegex;

constexpr int kNumVisits = 600;

/// Day `day` (1 to 28) of a month.
std::string date(int year, int month, int day) {
  char text[16];
  std::snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day);
  return text;
}

/// born, seen (with a clock), sex and label, which depends on the year of `born`.
std::string visits_csv() {
  std::string text = "born,seen,sex,label\n";
  for (int i = 0; i < kNumVisits; ++i) {
    const int year = 1940 + i * 7 % 60;
    char clock[16];
    std::snprintf(clock, sizeof(clock), " %02d:%02d", i % 24, i * 7 % 60);
    text += date(year, 1 + i % 12, 1 + i % 28) + "," +
            date(2023 + i % 2, 1 + i * 5 % 12, 1 + i % 28) + clock;
    text += i % 2 == 0 ? ",F" : ",M";
    text += (year > 1970) != (i % 13 == 0) ? ",yes\n" : ",no\n";
  }
  return text;
}

const std::string kSchema =
    schema_head("visits", "label", kNumVisits) +
    "[columns.born]\ntype = \"date\"\nbounds = [\"1940-01-01\", \"1999-12-31\"]\nbins = \"year\"\n"
    "[columns.seen]\ntype = \"timestamp\"\nformat = \"YYYY-MM-DD hh:mm\"\nbounds = [2023-01-01, "
    "2024-12-31]\nbins = \"month\"\n" +
    categorical_section("sex", {"F", "M"}) + categorical_section("label", {"no", "yes"}) +
    band_section("cohort", "born", "[\"1960-01-01\", 1980-01-01]");

class Dates : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.write("visits.csv", visits_csv());
    workspace.write("visits.toml", kSchema);
  }
  std::vector<std::vector<std::string>> rows(const std::string& file) const {
    std::istringstream lines(workspace.text(file));
    std::vector<std::vector<std::string>> result;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      result.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) result.back().push_back(cell);
    }
    result.erase(result.begin());
    return result;
  }

  Workspace workspace;
};

TEST_F(Dates, TimesThatAreCutAreSaid) {
  std::string csv = visits_csv();
  csv.insert(csv.find(" 00:00") + std::string(" 00:00").size(), ":30.0");
  workspace.write("visits.csv", csv);
  const ToolResult check = ok(workspace.run("schema check --schema visits.toml --data visits.csv"));
  EXPECT_THAT(check.out,
              HasSubstr("column seen: 1 of 600 cells (0.167 %) are finer than YYYY-MM-DD "
                        "hh:mm and cut off"));
}

TEST_F(Dates, RowsHoldThemAsTheyCame) {
  const Words words =
      "synth --drop-incomplete --schema visits.toml --data visits.csv --epsilon 20 --delta 1e-6 "
      "--method mst --out rows --seed 1 --stratify sex --insecure-test-rng --force";
  ok(workspace.run(words));
  int num_old = 0;
  for (const auto& row : rows("rows/rows.csv")) {
    EXPECT_THAT(row[0], MatchesRegex("19[4-9][0-9]-[01][0-9]-[0-3][0-9]"));
    EXPECT_THAT(row[1], MatchesRegex("202[34]-[01][0-9]-[0-3][0-9] [012][0-9]:[0-5][0-9]"));
    if (row[0] < "1970") ++num_old;
  }
  EXPECT_NEAR(num_old, kNumVisits / 2, 100);
  const Words given = "synth sample --model rows --rows 10";
  const ToolResult sample =
      ok(workspace.run(join(given, "--given born=1955-04-01 --out born.csv")));
  EXPECT_THAT(sample.out,
              HasSubstr("born is 1955-04-01 in all rows; what else they hold is drawn for "
                        "1955-01-01 to 1955-12-31"));
  for (const auto& row : rows("born.csv")) EXPECT_EQ(row[0], "1955-04-01");
  // Of a timestamp a date is the whole day, alone and at the end of a range.
  const auto seen = [&](const std::string& days) {
    const Words asked = join(given, {"--given", "seen=" + days, "--out", "seen.csv", "--force"});
    ok(workspace.run(with_option(asked, "--rows", "2000")));
    std::set<std::string> moments;
    for (const auto& row : rows("seen.csv")) moments.insert(row[1]);
    return moments;
  };
  const std::set<std::string> one_day = seen("2023-03-05");
  EXPECT_THAT(one_day, Each(StartsWith("2023-03-05 ")));
  EXPECT_GT(one_day.size(), 500U);
  const std::set<std::string> two_days = seen("2023-03-04..2023-03-05");
  EXPECT_LT(*two_days.begin(), "2023-03-04 12:00");
  EXPECT_GT(*two_days.rbegin(), "2023-03-05 12:00");
  EXPECT_LT(*two_days.rbegin(), "2023-03-06");
  EXPECT_THAT(seen("2023-03-05 10:20"), ElementsAre("2023-03-05 10:20"));
  EXPECT_GT(*seen("2024-12-31").rbegin(), "2024-12-31 12:00");
  expect_error(workspace.run(join(given, "--given born=1955-02-30 --out none.csv")), 2,
               "must be a date as YYYY-MM-DD");

  workspace.write("zeros.json",
                  R"([{"columns": ["born", "sex"], "impossible": [["2030-01-01", "F"]]}])");
  expect_error(workspace.run(join(words, "--structural-zeros zeros.json")), 3,
               "must lie between 1940-01-01 and 1999-12-31");

  // Parquet has types for them, and they are read back.
  ok(workspace.run(join(words, "--format parquet")));
  const ToolResult evaluated =
      ok(workspace.run("synth evaluate --schema visits.toml --real visits.csv --synthetic "
                       "rows/rows.parquet --degree 1 --by cohort"));
  EXPECT_THAT(evaluated.out,
              AllOf(HasSubstr("1960-01-01 to below 1980-01-01"), Not(HasSubstr("do not hold"))));
  const ToolResult redrawn = workspace.run("schema draft --data rows/rows.parquet");
  EXPECT_THAT(redrawn.out,
              HasAll("[columns.born]\ntype = \"date\"", "[columns.seen]\ntype = \"timestamp\""));
}

TEST_F(Dates, ModelsReadThemAndMeansRefuseThem) {
  const ToolResult trained = ok(workspace.run(
      "train --schema visits.toml --data visits.csv --epsilon 8 --delta 1e-5 --groups cohort "
      "--steps 40 --batch-size 128 --out model --insecure-test-rng --seed 3"));
  EXPECT_THAT(trained.out, HasSubstr("1980-01-01 and above"));
  workspace.write("new.csv",
                  "born,seen,sex\n1950-05-05,2024-01-01 10:00,F\n"
                  "1990-01-01 00:00:00,2024-01-01T10:00:59,M\n,2024-01-01 10:00,F\n");
  const ToolResult predicted =
      ok(workspace.run("predict --model model --data new.csv --out p.csv"));
  EXPECT_THAT(predicted.out, HasSubstr("missing cells: born 1"));
  workspace.write("new.csv", "born,seen,sex\n1950-02-30,2024-01-01 10:00,F\n");
  const ToolResult malformed =
      workspace.run("predict --model model --data new.csv --out p.csv --force");
  EXPECT_EQ(malformed.exit_code, 3) << malformed;
  EXPECT_THAT(malformed.err,
              AllOf(HasSubstr("row 1 (line 2) column 'born' is not a date as YYYY-MM-DD"),
                    Not(HasSubstr("1950-02-30"))));
  expect_error(workspace.run("means --schema visits.toml --data visits.csv --columns born --rho 1 "
                             "--insecure-test-rng --seed 1"),
               2, "column 'born' holds dates, not numbers");
}

TEST_F(Dates, ADraftReadsThemAsDates) {
  const ToolResult draft = workspace.run(
      {"schema", "draft", "--data", "visits.csv", "--target", "label", "--out", "draft.toml"});
  ASSERT_EQ(draft.exit_code, 0) << draft;
  EXPECT_THAT(
      read_bytes(workspace.path("draft.toml")),
      AllOf(HasSubstr("[columns.born]\ntype = \"date\"\nbounds = [\"1940-01-01\", "
                      "\"1999-12-31\"]\nbins = \"year\"\n"),
            HasSubstr("[columns.seen]\ntype = \"timestamp\"\nbounds = [\"2023-01-01\", "
                      "\"2024-12-31\"]\nformat = \"YYYY-MM-DD hh:mm\"\nbins = \"month\"\n")));
  const ToolResult check =
      workspace.run({"schema", "check", "--schema", "draft.toml", "--data", "visits.csv"});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_THAT(check.out, AllOf(HasSubstr("fits the schema"), Not(HasSubstr("not private"))));
  const ToolResult target =
      workspace.run({"schema", "draft", "--data", "visits.csv", "--target", "born"});
  EXPECT_EQ(target.exit_code, 2) << target;
  EXPECT_THAT(target.err, HasSubstr("holds dates or times, which no model predicts"));
}

}  // namespace
}  // namespace equinoise::testing::dates_test
