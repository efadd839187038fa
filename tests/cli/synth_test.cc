// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "tests/cli/people.h"

namespace equinoise::testing::synth_test {
namespace {

/// A workspace with people, their schema and a ledger of epsilon 10.
class SynthCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.write("whole.toml", replaced(people_schema(), "bounds = [17, 90]",
                                           "bounds = [17, 90]\nwhole = true"));
    ok(workspace.run("ledger init --ledger paid --dataset people --epsilon 10 --delta 1e-6"));
  }

  static Words words(const Words& more = {}) {
    return join(
        "synth --schema whole.toml --data people.csv --epsilon 2 --delta 1e-6 --method mst "
        "--drop-incomplete --out rows",
        more);
  }
  static Words paid(const Words& more = {}) { return words(join("--ledger paid", more)); }
  static Words seeded(const Words& more = {}) {
    return words(join("--insecure-test-rng --seed 1", more));
  }

  Words lines(const std::string& name) const {
    std::istringstream stream(workspace.text(name));
    Words result;
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
  }
  double spent() {
    return json_of(workspace.run("ledger show --ledger paid --dataset people --json"))
        .at("spent")
        .at("epsilon");
  }

  /// That the command ends so, spends nothing and leaves nothing behind.
  void expect_refused(const Words& command, int exit_code, const Texts& texts) {
    const std::string before = workspace.text("paid");
    testing::expect_refused(workspace, command, exit_code, texts);
    EXPECT_EQ(workspace.text("paid"), before);
    EXPECT_FALSE(workspace.has("rows"));
  }

  Workspace workspace;
};

TEST_F(SynthCommand, PaysAndWritesRowsModelAndReports) {
  for (const std::string method : {"mst", "aim", "swift", "gem"}) {
    const double before = spent();
    const Json json =
        json_of(ok(workspace.run(with_option(paid("--json --force"), "--method", method))));
    expect_keys(json, {"method", "rows", "seconds", "rounds", "model_megabytes", "privacy", "files",
                       "round_details"});
    EXPECT_EQ(json.at("method"), method);
    EXPECT_EQ(json.at("rows"), kNumPeople);
    EXPECT_EQ(json.at("status"), "private");
    EXPECT_LE(json.at("privacy").at("epsilon").get<double>(), 2);
    EXPECT_GT(json.at("privacy").at("epsilon").get<double>(), 1.5);
    EXPECT_EQ(json.at("rounds").get<size_t>(), json.at("round_details").size());
    for (const char* published : {"rows/rows_card.md", "rows/report.html"})
      EXPECT_THAT(workspace.text(published),
                  HasSubstr("Account of dataset people: budget epsilon"));
    EXPECT_GT(spent(), before + 0.5);
    const Words rows = lines("rows/rows.csv");
    ASSERT_EQ(rows.size(), static_cast<size_t>(kNumPeople + 1));
    EXPECT_EQ(rows[0], "age,city,sex,label");
    const auto is_whole_age = [](const std::string& row) {
      const std::string age = row.substr(0, row.find(','));
      return age.find_first_not_of("0123456789") == std::string::npos && std::stoi(age) >= 17 &&
             std::stoi(age) <= 90;
    };
    EXPECT_TRUE(std::all_of(rows.begin() + 1, rows.end(), is_whole_age));
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(workspace.path("rows/report.json")).permissions(),
              perms::owner_read | perms::owner_write);
    EXPECT_THAT(workspace.text("rows/report.html"), HasSubstr("Synthetic rows"));
  }
}

TEST_F(SynthCommand, ACardStandsNextToTheRowsAndFollowsFromTheModelFile) {
  ok(workspace.run(with_option(paid(), "--method", "aim")));
  const Json card = workspace.json("rows/rows_card.json");
  EXPECT_EQ(card.at("status"), "private");
  EXPECT_EQ(card.at("rows").at("count"), kNumPeople);
  EXPECT_EQ(card.at("columns_left_out"), Json({"note"}));
  // All of rho is accounted for.
  double share = card.at("rho_share_of_choices");
  for (const char* list : {"measured", "number_laws"})
    for (const Json& entry : card.at(list)) share += entry.at("rho_share").get<double>();
  EXPECT_NEAR(share, 1, 1e-3);
  // Written again without the table, it is the same but for the account, which the run alone knows.
  std::filesystem::remove(workspace.path("people.csv"));
  for (const char* name : {"card.md", "card.json"})
    ok(workspace.run(
        {"synth", "sample", "--model", "rows", "--out", "again.csv", "--card", name, "--force"}));
  EXPECT_THAT(workspace.text("rows/rows_card.md"),
              StartsWith(workspace.text("card.md") + "\n## Ledger\n"));
  Json of_run = card;
  EXPECT_EQ(of_run.at("ledger").at("spent_before").at("epsilon"), 0);
  of_run.erase("ledger");
  Json again = workspace.json("card.json");
  for (Json* one : {&of_run, &again})
    EXPECT_EQ(one->at("deployment").at("entry").at("implementation").erase("composition"), 1);
  EXPECT_EQ(again, of_run);
  const ToolResult women = ok(workspace.run(
      "synth sample --model rows --rows 7 --given sex=Female --out women.csv --card women.md"));
  EXPECT_THAT(workspace.text("women.md"), HasAll("| rows have | sex=Female |", "| rows | 7 |"));
  // The card has what the run said of an attacker.
  EXPECT_EQ(card.at("attack_bounds"), workspace.json("rows/report.json").at("attack_bounds"));
  EXPECT_GT(card.at("attack_bounds").at("advantage").get<double>(), 0);
  const Words seeded = "synth sample --model rows --rows 9 --seed 1 --out";
  ok(workspace.run(join(seeded, {"file.csv"})));
  const ToolResult piped = workspace.run(join(seeded, {"-"}));
  EXPECT_EQ(piped.out, workspace.text("file.csv"));
  EXPECT_THAT(piped.err, HasSubstr("9 rows from a model of aim"));
  EXPECT_EQ(workspace.run(join(seeded, "- --json")).exit_code, 2);
  const ToolResult same = workspace.run("synth sample --model rows --out both --card both");
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, HasSubstr("--card and --out must be different files"));
  // Models of earlier versions have nothing to write it of, and their rows can be drawn all the
  // same.
  Json model = workspace.json("rows/model.json");
  model.erase("released");
  workspace.write("rows/model.json", model.dump());
  const Words old = "synth sample --model rows --rows 7 --out old.csv";
  ok(workspace.run(old));
  expect_error(workspace.run(join(old, "--force --card old.md")), 3, "leave --card out");
}

TEST_F(SynthCommand, CardsNameWhatStrataMeasure) {
  ok(workspace.run(seeded("--stratify sex --strata independent")));
  const Json card = workspace.json("rows/rows_card.json");
  EXPECT_TRUE(card.at("privacy").is_null());
  ASSERT_EQ(card.at("strata").size(), 2U);
  EXPECT_EQ(card.at("strata_share_a_model"), false);
  for (const Json& entry : card.at("measured")) EXPECT_TRUE(entry.contains("group"));
  EXPECT_THAT(workspace.text("rows/rows_card.md"),
              HasAll("NOT PRIVATE", "Each of 2 strata by sex has a model"));
}

TEST_F(SynthCommand, SaysWhatMustNotBePublished) {
  // How many records are dropped is counted without noise.
  std::string table = people_csv();
  table.replace(table.find(",south,"), 7, ",,");
  workspace.write("people.csv", table);
  const ToolResult result = ok(workspace.run(paid()));
  EXPECT_THAT(result.out,
              HasAll("Reading the table (NOT PRIVATE)", "do not publish", "report.json"));
  EXPECT_THAT(workspace.text("rows/report.json"), HasSubstr("DO NOT PUBLISH"));
  EXPECT_THAT(workspace.text("rows/report.html"),
              AllOf(Not(HasSubstr("not private")), Not(HasSubstr("contribute nothing")),
                    HasSubstr("publishable"), HasSubstr("Released counts of single columns")));
}

TEST_F(SynthCommand, PrintsAScreenAndWithVerboseTheRounds) {
  const auto lines_of_run = [&](const Words& more) {
    const ToolResult result = ok(workspace.run(seeded(join("--force", more))));
    workspace.write("screen", result.out);
    return lines("screen");
  };
  const Words screen = lines_of_run({});
  EXPECT_LE(screen.size(), 25U);
  for (const std::string& line : screen) EXPECT_LE(line.size(), 160U) << line;
  EXPECT_THAT(screen, Not(Contains(HasSubstr("Rounds"))));
  EXPECT_THAT(lines_of_run("--verbose"), Contains(HasSubstr("Rounds")));
}

TEST_F(SynthCommand, BinsMayHaveGivenEdges) {
  ok(workspace.run(seeded("--edges-of age=18:60")));
  const Json model = workspace.json("rows/model.json");
  EXPECT_EQ(model.at("columns").at(0).at("edges"), Json({17, 18, 60, 91}));
  std::filesystem::remove_all(workspace.path("rows"));
  expect_refused(paid("--edges-of age=18:x"), 2, {"must be numbers, got x"});
  expect_refused(paid("--edges-of age"), 2, {"COLUMN=EDGE:EDGE"});
  expect_refused(paid("--edges-of age=60:18"), 2, {"ascend strictly"});
  expect_refused(paid("--edges-of age=18 --edges-of age=20"), 2, {"--edges-of age is given twice"});
  expect_refused(paid("--edges-of age=18 --bins-of age=5"), 2,
                 {"'age' has a number of bins and edges, too; give one of --bins-of and --edges"});
}

TEST_F(SynthCommand, PointMassesAndGapsKeepTheirShares) {
  std::string table = "gain,sex\n";
  for (int i = 0; i < 1000; ++i) {
    table += i % 10 == 0 ? std::to_string(1000 + 37 * i) : i % 5 == 1 ? "" : "0";
    table += i % 2 == 0 ? ",F\n" : ",M\n";
  }
  workspace.write("gain.csv", table);
  for (const Words& how : {Words{}, Words("--number-share 0")}) {
    workspace.write("gain.toml",
                    schema_head("gain", "", 1000) +
                        numeric_section("gain", 0, 100000,
                                        "atoms = [0]\nfeature = false\nmissing = \"category\"\n") +
                        categorical_section("sex", {"F", "M"}));
    ok(workspace.run(
        join("synth --drop-incomplete --schema gain.toml --data gain.csv --epsilon 50 --delta 1e-6 "
             "--method mst --out gain --force --insecure-test-rng --seed 1",
             how)));
    const Words rows = lines("gain/rows.csv");
    const auto begin_with = [&](const std::string& text) {
      return static_cast<double>(std::ranges::count_if(
          rows, [&](const std::string& row) { return row.starts_with(text); }));
    };
    EXPECT_NEAR(begin_with("0,"), 700, 100);
    EXPECT_NEAR(begin_with(","), 200, 50);
  }
  const Words sample = "synth sample --model gain --rows 5 --out none.csv";
  ok(workspace.run(join(sample, "--given gain=missing")));
  const Words rows = lines("none.csv");
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_THAT(rows[i], StartsWith(","));
}

TEST_F(SynthCommand, WhatRowsLoseIsSaid) {
  workspace.write("whole.toml", replaced(people_schema(), "bounds = [17, 90]",
                                         "bounds = [17, 90]\nmissing = \"fill\"\nfill = 40"));
  std::string table = people_csv();
  for (size_t at = 0; (at = table.find(",south,", at)) != std::string::npos;)
    table.replace(at, 7, ",,");
  workspace.write("people.csv", table);
  const ToolResult result = ok(workspace.run(seeded("--missing fill")));
  EXPECT_THAT(result.out, HasAll("rows hold values of the bin of the fill instead of gaps",
                                 "age (40)", "contribute nothing, by cells of city ("));
  EXPECT_THAT(result.err, HasSubstr("warning, not private: "));
  EXPECT_THAT(workspace.run(seeded("--force --quiet")).err, IsEmpty());
}

/// Who lacks a cell is in the rows, unless it was chosen that these people are not: before anything
/// is spent, whatever the records hold.
TEST_F(SynthCommand, NobodyIsLeftOutOfTheRowsUnasked) {
  std::string with_gaps = "loan,sex\n";
  std::string without = with_gaps;
  for (int i = 0; i < 1000; ++i) {
    const std::string sex = i % 2 == 0 ? ",F\n" : ",M\n";
    with_gaps += (i % 10 < 4 ? "" : std::to_string(5 + i % 90)) + sex;
    without += std::to_string(5 + i % 90) + sex;
  }
  workspace.write("gaps.csv", with_gaps);
  workspace.write("whole.csv", without);
  const auto write_schema = [&](const std::string& rule) {
    workspace.write("loans.toml",
                    schema_head("loans", "", 1000) + numeric_section("loan", 0, 100, rule) +
                        categorical_section("sex", {"F", "M"}, "missing = \"none\"\n"));
  };
  const auto run = [&](const std::string& table, const Words& more) {
    return workspace.run(join(
        {"synth", "--schema", "loans.toml", "--data", table, "--epsilon", "50", "--delta", "1e-6",
         "--method", "mst", "--out", "loans", "--force", "--insecure-test-rng", "--seed", "1"},
        more));
  };
  const auto num_gaps = [&](const std::string& rule, const Words& more) {
    write_schema(rule);
    ok(run("gaps.csv", more));
    const Words rows = lines("loans/rows.csv");
    return std::ranges::count_if(rows, [](const std::string& row) { return row.starts_with(","); });
  };
  for (const std::string rule : {"", "missing = \"drop\"\n"}) {
    write_schema(rule);
    const ToolResult refused = run("gaps.csv", {});
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("loan"), HasSubstr("--drop-incomplete"), Not(HasSubstr("sex"))));
    EXPECT_EQ(run("whole.csv", {}).err, refused.err);
    EXPECT_EQ(run("gaps.csv", "--dry-run").exit_code, 2);
    EXPECT_EQ(num_gaps(rule, "--drop-incomplete"), 0);
  }
  const std::string allowed = "missing = \"allowed\"\nfill = 50\n";
  EXPECT_EQ(num_gaps(allowed, "--drop-incomplete"), 0);
  EXPECT_THAT(run("gaps.csv", "--drop-incomplete").out, HasSubstr("400 of 1,000 records"));
  EXPECT_EQ(num_gaps(allowed, "--missing fill"), 0);
  EXPECT_NEAR(static_cast<double>(num_gaps(allowed, {})), 400, 50);
  // A run file repeats the choice.
  EXPECT_EQ(num_gaps(allowed, "--missing fill"), 0);
  EXPECT_THAT(workspace.text("loans/run.toml"), HasSubstr("missing = \"fill\""));
  // Bit for bit as a schema that fills, of which rows keep gaps, too.
  EXPECT_GT(num_gaps(allowed, {}), 0);
  const Words rows = lines("loans/rows.csv");
  EXPECT_GT(num_gaps("missing = \"fill\"\nfill = 50\n", {}), 0);
  EXPECT_EQ(lines("loans/rows.csv"), rows);
}

/// What noise leaves of how numbers are spread excludes no number, band or range: rows may be asked
/// for all of them, and every stratum has a model.
TEST_F(SynthCommand, NoNumberIsImpossibleWhereTheDistributionHasNobody) {
  std::string table = "age,debt,sex\n";
  for (int i = 0; i < 3000; ++i)
    table += std::to_string(i % 90) + "," + std::to_string(0.1 * (i % 90)) +
             (i % 2 == 0 ? ",F\n" : ",M\n");
  workspace.write("wide.csv", table);
  workspace.write(
      "wide.toml",
      schema_head("wide", "", 3000) +
          group_sizes("band",
                      {{"below 4498", 2998}, {"4498 to below 4502", 1}, {"4502 and above", 1}}) +
          band_section("band", "age", "[4498, 4502]") + band_section("half", "age", "[20.5]") +
          numeric_section("age", 0, 9000, "whole = true\n") + numeric_section("debt", 0, 90000) +
          categorical_section("sex", {"F", "M"}));
  const auto make = [&](const std::string& seed, const Words& more) {
    return workspace.run(join({"synth", "--drop-incomplete", "--schema", "wide.toml", "--data",
                               "wide.csv", "--epsilon", "20", "--delta", "1e-6", "--method", "mst",
                               "--out", "wide", "--force", "--insecure-test-rng", "--seed", seed},
                              more));
  };
  for (const std::string seed : {"1", "2", "3", "4"}) {
    for (const Words& more : {Words{}, Words("--edges-of age=50")}) {
      ok(make(seed, join("--stratify band", more)));
    }
  }
  ok(make("1", "--stratify half --edges-of age=20.2:20.8"));
  ok(make("1", {}));
  for (const std::string given : {"debt=7.7", "debt=77777.7", "age=8000", "debt=60000..60001"}) {
    ok(workspace.run({"synth", "sample", "--model", "wide", "--rows", "5", "--out", "some.csv",
                      "--force", "--given", given}));
    if (given == "debt=7.7") {
      for (const std::string& row : lines("some.csv"))
        EXPECT_TRUE(row.starts_with("age") || row.find(",7.7,") != row.npos) << row;
    }
  }
}

TEST_F(SynthCommand, HowNumbersAreSpreadIsPaidFor) {
  for (const Words& strata : {Words{}, Words("--stratify sex")}) {
    workspace.write("whole.toml", replaced(people_schema_with_sizes(134, 266), "bounds = [17, 90]",
                                           "bounds = [17, 90]\nwhole = true"));
    const double before = spent();
    const Json json = json_of(ok(workspace.run(join(paid("--json --force --bins 4"), strata))));
    EXPECT_LE(json.at("privacy").at("epsilon").get<double>(), 2);
    EXPECT_GT(spent(), before + 0.5);
    EXPECT_EQ(json.at("settings").at("number_share"), 0.02);
    EXPECT_GT(json.at("settings").at("number_noise_stddev").get<double>(), 1);
    const Json model = workspace.json("rows/model.json");
    const Json& column = model.at("columns").at(0);
    EXPECT_EQ(column.at("law").at("below").back(), 1);
    EXPECT_EQ(column.at("edges").size(), 5U);
    EXPECT_EQ(column.at("edges").front(), 17);
    EXPECT_EQ(column.at("edges").back(), 91);
    std::filesystem::remove_all(workspace.path("rows"));
  }
  // Nothing is paid for a number a bin, nor where nobody wants it.
  const auto settings = [&](const Words& more) {
    return json_of(workspace.run(paid(join("--json --dry-run", more)))).at("settings");
  };
  EXPECT_FALSE(settings("--bins 100").contains("number_share"));
  EXPECT_FALSE(settings("--number-share 0").contains("number_share"));
  EXPECT_EQ(settings("--number-share 0.3").at("number_share"), 0.3);
  for (const Words& wrong : {Words{"city"}, Words("age --bins 100"), Words("age --number-share 0"),
                             Words("age --edges-of age=20")})
    expect_refused(paid(join("--quantile-bins", wrong)), 2, {"--quantile-bins ", "leave"});
  expect_refused(paid("--number-share 1"), 2, {"number_share"});
  expect_refused(paid("--number-share -0.1"), 2, {"number_share"});
  ok(workspace.run(
      with_option(paid("--relation add_remove --bins 4 --dry-run"), "--ledger", "other")));
}

TEST_F(SynthCommand, BoundsFarFromMostNumbersAreWarnedOf) {
  const auto warnings = [&](double upper, const std::string& epsilon) {
    workspace.write(
        "far.toml",
        schema_head("far", "", 2167) +
            numeric_section("loss", 0, upper, "scale = \"standard\"\nmean = 3.4\nstddev = 8.5\n"));
    return json_of(workspace.run({"synth", "--drop-incomplete", "--schema", "far.toml", "--epsilon",
                                  epsilon, "--delta", "1e-9", "--method", "mst", "--dry-run",
                                  "--json"}))
        .at("warnings")
        .dump();
  };
  EXPECT_THAT(warnings(270, "3"), HasSubstr("moves the mean of loss by 6.1 (mean 3.4"));
  EXPECT_THAT(warnings(27, "3"), Not(HasSubstr("moves the mean")));
  // Drowned, but nothing is far.
  EXPECT_THAT(warnings(6.8, "0.01"), Not(HasSubstr("moves the mean")));
  EXPECT_THAT(warnings(270, "100"), Not(HasSubstr("moves the mean")));
}

TEST_F(SynthCommand, WideTablesHaveAWorkloadOfFewerColumns) {
  std::string schema = schema_head("wide", "", 1000);
  for (int i = 0; i < 190; ++i) schema += categorical_section("c" + std::to_string(i), {"0", "1"});
  workspace.write("many.toml", schema);
  const auto plan = [&](const std::string& method, const Words& more) {
    return workspace.run(join({"synth", "--drop-incomplete", "--schema", "many.toml", "--epsilon",
                               "3", "--delta", "1e-9", "--method", method, "--dry-run", "--json"},
                              more));
  };
  const ToolResult aim = plan("aim", "--degree 3");
  EXPECT_THAT(json_of(aim).at("warnings").dump(),
              HasSubstr("190 columns have more than a million"));
  ok(plan("aim", {}));
  EXPECT_THAT(json_of(plan("aim", {})).at("warnings").dump(), Not(HasSubstr("million")));
  EXPECT_THAT(json_of(plan("mst", {})).at("warnings").dump(), Not(HasSubstr("million")));
}

/// Edges that somebody gave, or that declared zeros refer to, stay where they are.
TEST_F(SynthCommand, EdgesThatArePublicStay) {
  workspace.write("zeros.json", R"([{"columns": ["age", "sex"], "impossible": [[17, "Male"]]}])");
  for (const Words& how :
       {Words("--edges-of age=18:60"), Words("--structural-zeros zeros.json --bins 2")}) {
    ok(workspace.run(seeded(join("--force", how))));
    const Json column = workspace.json("rows/model.json").at("columns").at(0);
    EXPECT_TRUE(column.contains("law"));
    EXPECT_EQ(column.at("edges").at(1), how[0] == "--edges-of" ? 18 : 54);
  }
}

TEST_F(SynthCommand, RowsMayBeParquet) {
  // Else noise gives some rows no label.
  workspace.write("whole.toml", workspace.text("whole.toml") + "missing = \"none\"\n");
  ok(workspace.run(seeded("--format parquet")));
  EXPECT_FALSE(std::filesystem::exists(workspace.path("rows/rows.csv")));
  ok(workspace.run("synth sample --model rows --rows 400 --out more.parquet"));
  for (const std::string rows : {"rows/rows.parquet", "more.parquet"}) {
    EXPECT_THAT(workspace.text(rows), StartsWith("PAR1"));
    const Json json =
        json_of(workspace.run({"synth", "evaluate", "--schema", "whole.toml", "--real",
                               "people.csv", "--synthetic", rows, "--degree", "1", "--json"}));
    EXPECT_LT(json.at("workload_error").get<double>(), 0.2);
    EXPECT_EQ(json.at("synthetic_records"), kNumPeople);
    EXPECT_EQ(json.at("ingest"), Json::array());
  }
}

TEST_F(SynthCommand, ASeedRepeatsTheRunAndIsStamped) {
  for (const std::string method : {"mst", "aim", "swift", "gem"}) {
    const auto rows = [&](const std::string& threads) {
      const ToolResult result = ok(workspace.run(
          with_option(seeded({"--force", "--threads", threads}), "--method", method)));
      EXPECT_THAT(result.out, HasSubstr("NOT PRIVATE"));
      return workspace.text("rows/rows.csv") + workspace.text("rows/model.json");
    };
    const std::string first = rows("1");
    EXPECT_EQ(rows("2"), first);
    EXPECT_THAT(first, HasSubstr("insecure rng"));
  }
  EXPECT_EQ(spent(), 0);
}

TEST_F(SynthCommand, ADryRunTellsCostAndSizeAndSpendsNothing) {
  const Json json = json_of(ok(workspace.run(paid("--dry-run --json"))));
  expect_keys(json, {"events", "privacy", "least_megabytes", "most_megabytes", "ledger_after"});
  EXPECT_EQ(spent(), 0);
  EXPECT_FALSE(std::filesystem::exists(workspace.path("rows")));
  EXPECT_THAT(workspace.run(paid("--dry-run")).out,
              AllOf(HasSubstr("MB"), Not(HasSubstr("discrete Gaussian"))));
  EXPECT_THAT(workspace.run(paid("--dry-run --verbose")).out, HasSubstr("discrete Gaussian"));
}

TEST_F(SynthCommand, FiguresOfTheRecordsComeFromTheModelAlone) {
  ok(workspace.run(paid()));
  const double before = spent();
  const Words table = "synth estimate --model rows --table sex --json";
  const Json first = json_of(workspace.run(table));
  std::filesystem::remove(workspace.path("people.csv"));
  EXPECT_EQ(json_of(workspace.run(table)), first);
  EXPECT_EQ(first.at("level_holds_for"), "each interval");
  EXPECT_EQ(first.at("interval_of"), "records of the table");
  const Json& women = first.at("figures").at(0);
  EXPECT_EQ(women.at("group"), Json({{"sex", "Female"}}));
  EXPECT_EQ(women.at("figure"), "count");
  // A third of 400, but for noise that is far less.
  EXPECT_GT(women.at("estimate_interval").at(0), 60);
  EXPECT_LT(women.at("estimate_interval").at(1), 210);
  EXPECT_EQ(women.at("stands_on").at("columns"), Json({"sex"}));
  const ToolResult mean =
      ok(workspace.run("synth estimate --model rows/model.json --mean age --out ages.csv"));
  const std::string both = ok(workspace.run("synth estimate --model rows --table sex")).out;
  EXPECT_THAT(both, HasAll("records by sex\nRecords\n", "\n\nShares (%)\n"));
  EXPECT_THAT(mean.out, HasAll("mean of age", "95 % interval", "not of a population"));
  EXPECT_THAT(lines("ages.csv").at(1), StartsWith("mean,"));
  const ToolResult share = ok(workspace.run(
      "synth estimate --model rows --share age=30..60,label=yes --level 0.9 --at-once"));
  EXPECT_THAT(share.out, HasSubstr("90 % interval"));
  EXPECT_EQ(spent(), before);
  const auto error = [&](const Words& more, int exit_code) {
    const ToolResult bad = workspace.run(join("synth estimate --model rows", more));
    EXPECT_EQ(bad.exit_code, exit_code) << bad;
    EXPECT_THAT(bad.out, IsEmpty());
    return bad.err;
  };
  EXPECT_THAT(error({}, 2), HasSubstr("--table, --share or --mean"));
  EXPECT_THAT(error("--table sx", 2), HasSubstr("did you mean"));
  EXPECT_THAT(error("--share sex=Femal", 2), HasSubstr("did you mean"));
  EXPECT_THAT(error("--share sex=1..2", 2), HasSubstr("no such value"));
  EXPECT_THAT(error("--mean city", 2), HasSubstr("categories"));
  EXPECT_THAT(error("--mean age --out ages.csv", 2), HasSubstr("--force"));
  // Of earlier versions that kept no counts.
  Json model = workspace.json("rows/model.json");
  for (Json& marginal : model["released"]["measured"]["marginals"]) marginal.erase("values");
  workspace.write("rows/model.json", model.dump());
  EXPECT_THAT(error("--table sex", 3), HasSubstr("kept no noisy counts"));
}

TEST_F(SynthCommand, AModelKnowsTheGroupsOfItsSchema) {
  workspace.write("whole.toml",
                  workspace.text("whole.toml") + "[groups.stage]\ncolumn = \"age\"\ncuts = [30]\n");
  ok(workspace.run(paid()));
  ok(workspace.run({"synth", "sample", "--model", "rows", "--rows", "50", "--given",
                    "stage=below 30", "--out", "young.csv"}));
  const Words rows = lines("young.csv");
  ASSERT_EQ(rows.size(), 51U);
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LT(std::stod(rows[i]), 30) << rows[i];
  const ToolResult estimate = workspace.run("synth estimate --model rows --table stage --json");
  EXPECT_THAT(ok(estimate).out, HasSubstr("30 and above"));
}

TEST_F(SynthCommand, RowsLaterAreFree) {
  ok(workspace.run(paid()));
  const double before = spent();
  const ToolResult result = ok(workspace.run(
      "synth sample --model rows --rows 50 --given sex=Female --out women.csv --json"));
  EXPECT_EQ(json_of(result).at("rows"), 50);
  const Words rows = lines("women.csv");
  ASSERT_EQ(rows.size(), 51U);
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_THAT(rows[i], HasSubstr(",Female,"));
  EXPECT_EQ(spent(), before);
  const auto error = [&](const Words& more, int exit_code) {
    const ToolResult bad =
        workspace.run(join("synth sample --model rows --rows 5 --out more.csv", more));
    EXPECT_EQ(bad.exit_code, exit_code) << bad;
    return bad.err;
  };
  EXPECT_THAT(error("--given sx=Female", 2), HasSubstr("did you mean"));
  EXPECT_THAT(error("--given sex=Femal", 2), HasSubstr("did you mean"));
  EXPECT_THAT(error("--given sex", 2), HasSubstr("COLUMN=VALUE"));
  EXPECT_THAT(error("--given age=200", 2), HasSubstr("between 17 and"));
  EXPECT_THAT(error("--given age=91", 2), HasSubstr("between 17 and 90"));
  EXPECT_THAT(error("--given age=40.5", 2), HasSubstr("whole numbers"));
  EXPECT_THAT(error("--given age=missing", 2), HasSubstr("must be a number"));
  const ToolResult forty =
      workspace.run("synth sample --model rows --rows 20 --given age=40 --out forty.csv");
  EXPECT_THAT(forty.out, HasSubstr("age is 40 in all rows; what else they hold is drawn for"));
  const Words people_of_40 = lines("forty.csv");
  ASSERT_EQ(people_of_40.size(), 21U);
  for (size_t i = 1; i < people_of_40.size(); ++i) EXPECT_THAT(people_of_40[i], StartsWith("40,"));
  // A range that ends within bins, of a model that is the same in every run: noise alone makes
  // people of these ages.
  ok(workspace.run(seeded("--force")));
  const auto ages_within = [&](const std::string& range, size_t num_rows) {
    ok(workspace.run({"synth", "sample", "--model", "rows", "--rows", std::to_string(num_rows),
                      "--given", "age=" + range, "--out", "range.csv", "--force", "--seed", "1"}));
    std::map<int, int> ages;
    const Words people = lines("range.csv");
    for (size_t i = 1; i < people.size(); ++i) ++ages[std::stoi(people[i])];
    return ages;
  };
  std::map<int, int> all = ages_within("17..90", 40'000);
  std::map<int, int> some = ages_within("30..47", 40'000);
  EXPECT_GE(some.begin()->first, 30);
  EXPECT_LE(some.rbegin()->first, 47);
  int num_within = 0;
  for (const auto& [age, count] : all) num_within += age >= 30 && age <= 47 ? count : 0;
  ASSERT_GT(num_within, 0);
  const double ratio = 40'000.0 / num_within;
  for (int age = 30; age <= 47; ++age) {
    // Six standard deviations of the difference, most of which is the draw of all ages.
    EXPECT_NEAR(some[age], ratio * all[age],
                6 * std::sqrt(ratio * ratio * (all[age] + 1) + some[age]))
        << age;
  }
  EXPECT_EQ(ages_within("80..", 9).begin()->first >= 80, true);
  EXPECT_THAT(error("--given age=47..30", 2), HasSubstr("must not be above"));
  EXPECT_THAT(error("--given age=91..99", 2), HasSubstr("between 17 and 90"));
  EXPECT_THAT(error("--given age=30..x", 2), HasSubstr("a range of two with .."));
  const std::string text = workspace.text("rows/model.json");
  workspace.write("rows/model.json", replaced(text, "equinoise/1", "equinoise/9"));
  EXPECT_THAT(error({}, 3), HasSubstr("the model is from another version"));
  workspace.write("rows/model.json", text.substr(0, text.size() / 2));
  EXPECT_THAT(error({}, 3), HasSubstr("is not JSON, or was cut short"));
}

TEST_F(SynthCommand, GemTellsItsCellsAndItsRowsAreConditioned) {
  const Words gem = with_option(paid("--query-form cell --rounds 8 --json"), "--method", "gem");
  const ToolResult plan = ok(workspace.run(join(gem, "--dry-run")));
  EXPECT_EQ(json_of(plan).at("settings").at("rounds"), 8);
  EXPECT_EQ(json_of(plan).at("least_megabytes"), json_of(plan).at("most_megabytes"));
  const ToolResult result = ok(workspace.run(gem));
  const Json rounds = json_of(result).at("round_details");
  ASSERT_EQ(rounds.size(), 8U);
  for (const Json& round : rounds) EXPECT_EQ(round.at("codes").size(), round.at("columns").size());
  EXPECT_LE(json_of(result).at("privacy").at("epsilon").get<double>(), 2);
  const double before = spent();
  for (const char* draw : {"round", "sample"}) {
    ok(workspace.run({"synth", "sample", "--model", "rows", "--rows", "40", "--given", "sex=Female",
                      "--rows-method", draw, "--out", "women.csv", "--force"}));
    const Words rows = lines("women.csv");
    ASSERT_EQ(rows.size(), 41U);
    for (size_t i = 1; i < rows.size(); ++i) EXPECT_THAT(rows[i], HasSubstr(",Female,"));
  }
  EXPECT_EQ(spent(), before);
  const std::string text = workspace.text("rows/model.json");
  workspace.write("rows/model.json", replaced(text, "\"mixture\"", "\"blend\""));
  EXPECT_THAT(workspace.run("synth sample --model rows --out more.csv").err,
              HasSubstr("a kind of model that this version does not know"));
}

TEST_F(SynthCommand, StrataHaveAModelEach) {
  workspace.write("sizes.toml", people_schema_with_sizes(134, 266));
  const Json json = json_of(ok(workspace.run(with_option(
      paid("--stratify sex --strata independent --rows 1000 --json"), "--schema", "sizes.toml"))));
  ASSERT_EQ(json.at("groups").size(), 2U);
  EXPECT_EQ(json.at("events").at(0).at("type"), "parallel");
  EXPECT_LE(json.at("privacy").at("epsilon").get<double>(), 2);
  const Words rows = lines("rows/rows.csv");
  ASSERT_EQ(rows.size(), 1001U);
  const auto women = std::ranges::count_if(
      rows, [](const std::string& row) { return row.find(",Female,") != std::string::npos; });
  EXPECT_EQ(women, 335);
  // Few of a stratum: one model for all that are below.
  const ToolResult pooled = ok(workspace.run(
      with_option(paid("--stratify sex --strata independent --min-stratum 200 --force --json"),
                  "--schema", "sizes.toml")));
  const Json groups = json_of(pooled).at("groups");
  EXPECT_EQ(groups.at(1).at("group").at("sex"), "(small groups)");
  // A shared model has a column more, hence other noise; what all have in common is told once.
  for (const Json& group : groups)
    EXPECT_GT(group.at("settings").at("one_way_noise_stddev").get<double>(), 1);
  EXPECT_NE(groups.at(0).at("settings"), groups.at(1).at("settings"));
  EXPECT_FALSE(json_of(pooled).at("settings").contains("one_way_noise_stddev"));
  EXPECT_FALSE(json.at("groups").at(0).contains("settings"));
}

/// Everybody pays for the shared model, the members of a stratum for what it measures as well, and
/// those of one that is too small to measure anything for nothing else.
TEST_F(SynthCommand, StrataShareAModel) {
  workspace.write("sizes.toml", people_schema_with_sizes(2, 398));
  const Words words = with_option(paid("--stratify sex --json"), "--schema", "sizes.toml");
  const ToolResult planned = ok(workspace.run(join(words, "--dry-run")));
  const double before = spent();
  const Json json = json_of(ok(workspace.run(words)));
  EXPECT_EQ(json.at("events"), json_of(planned).at("events"));
  EXPECT_EQ(json.at("events").at(0).at("type"), "composed");
  EXPECT_EQ(json.at("events").at(1).at("type"), "parallel");
  const double epsilon = json.at("privacy").at("epsilon").get<double>();
  EXPECT_LE(epsilon, 2);
  EXPECT_GT(spent(), before);
  const Json& groups = json.at("groups");
  EXPECT_EQ(groups.at(0).at("num_measured"), 0);
  EXPECT_EQ(groups.at(1).at("num_measured"), groups.at(1).at("num_columns"));
  EXPECT_GE(groups.at(0).at("noise_error").get<double>(), 1);
  EXPECT_LT(groups.at(0).at("privacy").at("epsilon").get<double>(), 0.95 * epsilon);
  EXPECT_EQ(groups.at(1).at("privacy").at("epsilon").get<double>(), epsilon);
  const Words rows = lines("rows/rows.csv");
  EXPECT_EQ(
      std::ranges::count_if(
          rows, [](const std::string& row) { return row.find(",Female,") != std::string::npos; }),
      2);
  // Noise is no share of the records of a stratum that has none.
  workspace.write("none.toml", people_schema_with_sizes(0, 400));
  const Json none = json_of(
      workspace.run(with_option(paid("--stratify sex --json --dry-run"), "--schema", "none.toml")));
  EXPECT_EQ(none.at("groups").at(0).at("num_measured"), 0);
  EXPECT_TRUE(!none.at("groups").at(0).contains("noise_error") ||
              none.at("groups").at(0).at("noise_error").is_null());
  const auto noise = HasSubstr("Rows of 1 of 2 strata say little of their own stratum");
  EXPECT_THAT(json.at("warnings").dump(), noise);
  EXPECT_THAT(json_of(planned).at("warnings").dump(), noise);
  EXPECT_THAT(workspace.text("rows/rows_card.md"), noise);
  EXPECT_THAT(none.at("warnings").dump(), Not(HasSubstr("say little")));
  // Whoever forces the small one to measure is told.
  const ToolResult forced = workspace.run(join(
      with_option(paid("--stratify sex"), "--schema", "sizes.toml"), "--min-stratum 2 --dry-run"));
  EXPECT_THAT(forced.out, HasSubstr("leave --min-stratum 2 out"));
  const ToolResult alone =
      workspace.run(join(with_option(paid("--stratify sex"), "--schema", "sizes.toml"),
                         "--strata independent --dry-run"));
  EXPECT_THAT(alone.out, HasSubstr("--strata shared is made for them"));
}

/// Declared sizes are public, so comparing rows with them costs nothing.
TEST_F(SynthCommand, RowsFarFromDeclaredSizesAreWarnedOf) {
  workspace.write("sizes.toml", people_schema_with_sizes(2, 398));
  const Words words = with_option(paid("--json --force"), "--schema", "sizes.toml");
  const auto warnings = [&](const Words& more) {
    const Json report = json_of(ok(workspace.run(join(words, more))));
    return report.at("warnings").dump() + report.value("owner_warnings", Json::array()).dump();
  };
  EXPECT_THAT(warnings({}), HasAll("Female (sex) has ", ", declared 2.",
                                   "--stratify sex gives each group by sex its declared share"));
  const Json card = workspace.json("rows/rows_card.json");
  EXPECT_EQ(card.at("groups_far_off").at(0).at("num_records"), 2);
  EXPECT_GT(card.at("groups_far_off").at(0).at("rows"), 50);
  EXPECT_THAT(workspace.text("rows/rows_card.md"), HasSubstr("Female (sex) has "));
  EXPECT_THAT(workspace.text("rows/report.html"),
              AllOf(HasSubstr("Female (sex) has "), Not(HasSubstr("--stratify sex gives"))));
  EXPECT_THAT(warnings("--stratify sex"), Not(HasSubstr("declared")));
  EXPECT_EQ(workspace.json("rows/rows_card.json").at("groups_far_off"), Json::array());
}

TEST_F(SynthCommand, StrataThatCannotShareAreIndependentOrRefused) {
  const ToolResult open = ok(workspace.run(paid("--stratify sex --dry-run")));
  EXPECT_THAT(open.out,
              HasAll("strata are modelled independently", "public size of stratum Female"));
  expect_refused(paid("--stratify sex --strata shared"), 2,
                 {"--strata shared", "public size of stratum Female", "schema sizes"});
  workspace.write("sizes.toml", people_schema_with_sizes(134, 266));
  expect_refused(
      with_option(with_option(paid("--stratify sex --strata shared"), "--schema", "sizes.toml"),
                  "--method", "gem"),
      2, {"gem does not make the graphical models"});
  expect_refused(paid("--strata shared"), 2, {"--strata needs --stratify"});
  expect_refused(with_option(paid("--stratify sex --shared-share 1"), "--schema", "sizes.toml"), 2,
                 {"shared_share"});
}

TEST_F(SynthCommand, StrataWithoutRowsAreNamed) {
  workspace.write("sizes.toml", people_schema_with_sizes(0, 400));
  expect_refused(with_option(paid("--stratify sex --strata independent"), "--schema", "sizes.toml"),
                 2, {"stratum Female has no rows", "--min-stratum"});
  expect_refused(paid("--stratify town"), 2, {"town"});
  expect_refused(paid("--stratify sex --stratum-weight Femal=1"), 2, {"did you mean"});
  expect_refused(paid("--min-stratum 5"), 2, {"--min-stratum needs --stratify"});
}

TEST_F(SynthCommand, ThePrivateNumberOfRowsIsMeasured) {
  ok(
      workspace.run("ledger init --ledger other --dataset people --epsilon 10 --delta 1e-6 "
                    "--relation add_remove"));
  const Json json =
      json_of(ok(workspace.run(words("--ledger other --relation add_remove --json"))));
  EXPECT_EQ(json.at("privacy").at("relation"), "add_remove");
  EXPECT_NEAR(json.at("rows").get<double>(), kNumPeople, 150);
}

/// Tables of n and n + 1 records, none and one among them, are neighbours: plan, charge and
/// messages are the same, and the number of rows follows from what was released.
TEST_F(SynthCommand, UnderAddRemoveNothingFollowsFromTheNumberOfRecords) {
  const std::string schema = replaced(people_schema(), "[public]\nnum_records = 400\n", "");
  workspace.write("whole.toml", schema);
  const Words private_size = "--relation add_remove --json --quiet --force";
  for (const std::string method : {"mst", "aim", "swift", "gem"}) {
    for (const int num_records : {0, kNumPeople}) {
      std::vector<Json> plans;
      std::vector<Json> charges;
      std::vector<std::string> messages;
      for (const int one_more : {0, 1}) {
        workspace.write("people.csv", people_csv(num_records + one_more));
        const std::string ledger = method + std::to_string(num_records + one_more);
        ok(workspace.run({"ledger", "init", "--ledger", ledger, "--dataset", "people", "--epsilon",
                          "10", "--delta", "1e-6", "--relation", "add_remove"}));
        const Words command =
            with_option(with_option(words(private_size), "--method", method), "--ledger", "paying");
        std::filesystem::rename(workspace.path(ledger), workspace.path("paying"));
        plans.push_back(json_of(workspace.run(join(command, "--dry-run"))));
        const ToolResult result = ok(workspace.run(command));
        messages.push_back(result.err);
        const Json warnings = json_of(result).at("warnings");
        for (const Json& warning : warnings)
          if (warning.get<std::string>().find("never measured together") == std::string::npos)
            messages.back() += warning;  // that one follows from what was released
        const Json shown = json_of(workspace.run("ledger show --ledger paying --json"));
        charges.push_back(shown.at("entries").at(0).at("events"));
      }
      EXPECT_EQ(plans[0], plans[1]);
      EXPECT_EQ(charges[0], charges[1]);
      EXPECT_EQ(messages[0], messages[1]);
      EXPECT_THAT(messages[0], Not(HasSubstr("num_records")));
    }
  }
  // What would pay is asked for under the relation of the release.
  EXPECT_THAT(json_of(workspace.run(with_option(words(join(private_size, "--dry-run")), "--ledger",
                                                "nowhere")))
                  .at("warnings")
                  .dump(),
              HasSubstr("ledger init --ledger nowhere --dataset people --epsilon E --delta D "
                        "--relation add_remove"));
  // Whoever has one record more may get fewer rows.
  std::vector<int64_t> rows;
  for (const int num_records : {kNumPeople, kNumPeople + 1}) {
    workspace.write("people.csv", people_csv(num_records));
    for (const char* seed : {"1", "2", "3", "4"}) {
      const Json json = json_of(workspace.run(
          with_option(join(seeded(), private_size), "--seed", seed + std::to_string(num_records))));
      rows.push_back(json.at("rows").get<int64_t>());
    }
  }
  EXPECT_LT(*std::min_element(rows.begin() + 4, rows.end()),
            *std::max_element(rows.begin(), rows.begin() + 4));
  // A schema that publishes the number all the same, and a relation that needs it.
  workspace.write("whole.toml", people_schema());
  EXPECT_THAT(json_of(workspace.run(join(seeded(), private_size))).at("warnings").dump(),
              HasSubstr("the schema declares num_records"));
  workspace.write("whole.toml", schema);
  std::filesystem::remove_all(workspace.path("rows"));
  expect_refused(paid(), 3, {"whole.toml:", "num_records = NUMBER"});
}

TEST_F(SynthCommand, WorkloadsAreReadAndChecked) {
  workspace.write("workload.json",
                  R"([{"columns": ["city", "label"], "weight": 3}, {"columns": ["sex"]}])");
  const Json told = json_of(
      ok(workspace.run(with_option(seeded("--workload workload.json --json"), "--method", "aim"))));
  for (const Json& round : told.at("round_details"))
    EXPECT_THAT(round.at("columns").dump(), Not(HasSubstr("age")));
  workspace.write("workload.json", R"([{"columns": ["town"]}])");
  std::filesystem::remove_all(workspace.path("rows"));
  const Words aim = with_option(paid("--workload workload.json"), "--method", "aim");
  expect_refused(aim, 3, {"workload.json: marginal 1: there is no column \"town\""});
  workspace.write("workload.json", "{");
  expect_refused(aim, 3, {"workload.json:1:2: is not JSON"});
  workspace.write("workload.json", "[\n{\"columns\": [\"age\",]}]");
  expect_refused(aim, 3, {"workload.json:2:"});
  workspace.write("workload.json", "{}");
  expect_refused(aim, 3, {"workload.json: must be a JSON list"});
  workspace.write("workload.json", R"([{"columns": ["note"]}])");
  expect_refused(aim, 3, {"marginal 1: column \"note\" is ignored by the schema"});
  expect_refused(with_option(paid("--workload-target note"), "--method", "aim"), 2,
                 {"--workload-target: column \"note\" is ignored by the schema"});
  workspace.write("workload.json", R"([{"columns": ["age"]}, {"columns": ["age"]}])");
  expect_refused(aim, 3, {"marginal 2 is listed twice"});
  workspace.write("workload.json", R"([{"columns": ["age"], "weight": 0}])");
  expect_refused(aim, 3, {"weight must be finite and > 0"});
  expect_refused(with_option(paid("--workload-target lable"), "--method", "aim"), 2,
                 {"did you mean 'label'?"});
}

TEST_F(SynthCommand, WhatCannotBeIsSaidBeforeAnythingIsSpent) {
  expect_refused(paid("--max-model-size 0.0001"), 2,
                 {"no model fits into max_model_size", "marginal (age) with 8 values"});
  expect_refused(with_option(with_option(paid(), "--epsilon", "1e-12"), "--delta", "1e-300"), 2,
                 {"the budget is too small for a single round"});
  expect_refused(with_option(paid(), "--epsilon", "0"), 2, {"epsilon must be"});
  expect_refused(with_option(paid(), "--epsilon", "50"), 4, {"budget"});
  expect_refused(with_option(paid(), "--method", "mts"), 2, {"did you mean \"mst\"?"});
  expect_refused(paid("--relation replace_one"), 2, {"--relation: must be zero_out or add_remove"});
  expect_refused(paid("--bins-of city=3"), 2, {"bins are for numeric columns"});
  expect_refused(paid("--bins 0"), 2, {"between 1 and 4096"});
  expect_refused(paid("--seed 1"), 2, {"--seed and --insecure-test-rng go together"});
  expect_refused(paid("--bins-of age=3 --bins-of age=4"), 2, {"given twice"});
  expect_refused(paid("--degree 2"), 2, {"--degree has no effect with --method mst"});
  expect_refused(with_option(paid("--rounds 2"), "--method", "aim"), 2,
                 {"--rounds has no effect with --method aim"});
  expect_refused(paid("--insecure-test-rng --seed -1"), 2, {"--seed: -1"});
  expect_refused(paid("--rows 0"), 2, {"rows must"});
  expect_refused(with_option(paid("--rounds 0"), "--method", "gem"), 2, {"rounds must"});
  workspace.write("lacks.csv", "age,city\n30,north\n");
  expect_refused(with_option(paid(), "--data", "lacks.csv"), 3, {"lacks.csv"});
  workspace.write("domain.json", R"({"age": 91, "sex": 2})");
  expect_refused(
      "synth --domain domain.json --num-records 400 --dataset people --data people.csv --epsilon 1 "
      "--delta 1e-6 --ledger paid --out rows",
      3, {"people.csv", "city"});
}

TEST_F(SynthCommand, DeclaredImpossibleCombinationsNeverComeUp) {
  workspace.write("zeros.json",
                  R"([{"columns": ["sex", "city"], "impossible": [["Female", "north"]]}])");
  for (const std::string method : {"mst", "aim", "swift", "gem"}) {
    ok(workspace.run(
        with_option(seeded("--structural-zeros zeros.json --force"), "--method", method)));
    EXPECT_THAT(workspace.text("rows/rows.csv"), Not(HasSubstr(",north,Female,")));
  }
  std::filesystem::remove_all(workspace.path("rows"));
  workspace.write("zeros.json", R"([{"columns": ["sex"], "impossible": [["Femal"]]}])");
  expect_refused(paid("--structural-zeros zeros.json"), 3,
                 {"zeros.json: table 1, impossible 1: \"Femal\" is not a category of column 'sex'; "
                  "did you mean 'Female'?"});
  workspace.write("zeros.json", R"([{"columns": ["note"], "impossible": [["x"]]}])");
  expect_refused(paid("--structural-zeros zeros.json"), 3,
                 {"zeros.json: table 1: column \"note\" is ignored by the schema"});
  workspace.write("zeros.json", "[\n\n{\"columns\"");
  expect_refused(paid("--structural-zeros zeros.json"), 3, {"zeros.json:3:", "is not JSON"});
  workspace.write("zeros.json", R"([{"columns": ["age"], "impossible": [[91]]}])");
  expect_refused(paid("--structural-zeros zeros.json"), 3,
                 {"zeros.json: table 1, impossible 1: 91 is not a value of column 'age', which "
                  "must lie between 17 and 90"});
}

TEST_F(SynthCommand, CtrlCLeavesNoRows) {
  workspace.write("people.csv", people_csv(400'000));
  workspace.write("large.toml", people_schema(400'000));
  ToolProcess process(with_option(with_option(paid(), "--schema", "large.toml"), "--method", "aim"),
                      workspace.here());
  ASSERT_TRUE(process.wait_for("round 1"));
  process.send(SIGINT);
  expect_error(process.finish(), 1, "stays spent");
  EXPECT_FALSE(std::filesystem::exists(workspace.path("rows")));
  EXPECT_GT(spent(), 0);
}

TEST_F(SynthCommand, SmallStrataTogetherHaveNoValueOfTheirOwn) {
  // A category that is called like what stands for them, of one of two columns.
  std::string schema =
      replaced(people_schema_with_sizes(134, 266), "\"Male\"]", "\"Male\", \"(small groups)\"]");
  schema += group_sizes("sex", {{"(small groups)", 0}});
  for (const std::string sex : {"Female", "Male", "(small groups)"}) {
    for (const std::string label : {"no", "yes"})
      schema +=
          group_size("sex = \"" + sex + "\", label = \"" + label + "\"", sex[0] == '(' ? 0 : 60);
  }
  workspace.write("pooled.toml", schema);
  ok(workspace.run(
      with_option(paid("--stratify sex,label --strata independent --min-stratum 100 --rows 400"),
                  "--schema", "pooled.toml")));
  const Words rows = lines("rows/rows.csv");
  const auto named = std::ranges::count_if(
      rows, [](const std::string& row) { return row.find("(small groups)") != std::string::npos; });
  EXPECT_LT(named, 200) << "noise may give it to some, nobody has it";
}

TEST_F(SynthCommand, ADraftedSchemaIsNoGuarantee) {
  workspace.write("drafted.toml",
                  replaced(workspace.text("whole.toml"), "reviewed = true", "reviewed = false"));
  Words drafted = paid("--public-data");
  std::ranges::replace(drafted, std::string("whole.toml"), std::string("drafted.toml"));
  const ToolResult result = ok(workspace.run(drafted));
  EXPECT_THAT(result.out, AllOf(HasSubstr("NOT PRIVATE as a whole"), Not(HasSubstr("guarantee:"))));
  for (const char* name : {"rows/report.json", "rows/model.json"})
    EXPECT_EQ(workspace.json(name).at("status"), "not private") << name;
  EXPECT_THAT(workspace.text("rows/report.html"), HasSubstr("NOT PRIVATE as a whole"));
}

TEST_F(SynthCommand, WhatCannotBeDrawnIsRefusedBeforeItIsPaidFor) {
  expect_refused(paid("--max-model-size 1e5"), 2, {"max_model_size"});
  expect_refused(paid("--stratify sex --stratum-weight Female=0 --stratum-weight Male=0"), 2,
                 {"--stratum-weight must have a finite sum above 0, got 0"});
  // The same of strata that share a model.
  workspace.write("sizes.toml", people_schema_with_sizes(134, 266));
  const auto expect_shared_refused = [&](const Words& words, const std::string& part) {
    expect_refused(
        with_option(paid(join("--stratify sex --strata shared", words)), "--schema", "sizes.toml"),
        2, {part});
  };
  expect_shared_refused("--stratum-weight Femal=1", "did you mean");
  expect_shared_refused("--stratum-weight Female=1", "for every stratum, or for none");
  expect_shared_refused("--stratum-weight Female=0 --stratum-weight Male=0",
                        "finite sum above 0, got 0");
  expect_shared_refused("--min-stratum -1", "min_stratum");
}

/// Strata may draw different things before how numbers are spread: gem also the total where no size
/// is declared.
TEST_F(SynthCommand, DistributionsArePaidForWhateverElseAStratumDraws) {
  workspace.write("size.toml", people_schema() + group_sizes("sex", {{"Female", 134}}));
  const Words words = with_option(
      with_option(paid("--stratify sex --bins 4 --rounds 2 --json"), "--schema", "size.toml"),
      "--method", "gem");
  const Json groups = json_of(ok(workspace.run(words))).at("events").at(0).at("groups");
  EXPECT_NE(groups.at(0).at("event").at("events").size(),
            groups.at(1).at("event").at("events").size());
}

TEST_F(SynthCommand, EqualWidthsStayWhereTheySpreadPeopleWell) {
  std::string table = "x\n";
  for (int i = 0; i < 2000; ++i)
    table += std::to_string(i % 100 < 40 ? i % 100 : 40 + i % 20) + "\n";
  workspace.write("x.csv", table);
  workspace.write("x.toml", schema_head("x", "", 2000) + numeric_section("x", 0, 60));
  const auto edges = [&](const Words& more) {
    ok(workspace.run(
        join("synth --drop-incomplete --schema x.toml --data x.csv --epsilon 20 --delta 1e-6 "
             "--method mst --bins 4 --out x --force --insecure-test-rng --seed 1",
             more)));
    return workspace.json("x/model.json").at("columns").at(0).at("edges");
  };
  EXPECT_EQ(edges({}).at(1), 15);
  EXPECT_NE(edges({"--quantile-bins", "x"}).at(1), 15);
}

}  // namespace
}  // namespace equinoise::testing::synth_test
