// SPDX-License-Identifier: Apache-2.0
// Numbers of more than 24 bits, through every command that reads or writes them: seconds since 1970
// within a minute, dates as yyyymmdd, amounts in cents, identifiers of 64 bits.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>
#include <sstream>

#include "tests/cli/people.h"
#include "tests/shared_vectors.h"

namespace equinoise::testing::large_numbers_test {
namespace {

constexpr int kNumRecords = 600;
constexpr int kSeconds = 60;

/// The number of a record, 0 to 59.
int second_of(int i) { return i * 37 % kSeconds; }

/// Columns t (whole), x (a quarter more), z (the target, follows t), g and the label of later ones;
/// the three numbers lie at the offset.
std::string table_at(int64_t offset) {
  std::string csv = "t,x,z,g,label\n";
  for (int i = 0; i < kNumRecords; ++i) {
    const int second = second_of(i);
    csv += fmt::format("{},{}.25,{},{},{}\n", offset + second, offset + second,
                       offset + kSeconds - second, i % 3 == 0 ? "a" : "b",
                       second < kSeconds / 2 ? "early" : "late");
  }
  return csv;
}

/// `wider`: by how much the bounds leave the numbers on either side.
std::string schema_at(int64_t offset, const std::string& target, int64_t wider = 0) {
  const auto numeric = [&](const std::string& name, const std::string& more) {
    return fmt::format("[columns.{}]\ntype = \"numeric\"\nbounds = [{}, {}]\n{}", name,
                       offset - wider, offset + kSeconds + wider, more);
  };
  return fmt::format(
             "schema = \"equinoise/1\"\ndataset = \"people\"\nreviewed = true\ntarget = \"{}\"\n"
             "[public]\nnum_records = {}\n"
             "[[public.groups]]\ngroup = {{ g = \"a\" }}\nnum_records = {}\n"
             "[[public.groups]]\ngroup = {{ g = \"b\" }}\nnum_records = {}\n",
             target, kNumRecords, kNumRecords / 3, kNumRecords - kNumRecords / 3) +
         numeric("t", "whole = true\n") + numeric("x", "") +
         numeric("z", target == "z" ? "" : "feature = false\n") +
         "[columns.g]\ntype = \"categorical\"\nvalues = [\"a\", \"b\"]\nfeature = false\n"
         "[columns.label]\ntype = \"categorical\"\nvalues = [\"early\", \"late\"]\n" +
         (target == "label" ? "" : "feature = false\n") +
         fmt::format("[groups.half]\ncolumn = \"t\"\ncuts = [{}]\n", offset + kSeconds / 2);
}

constexpr int64_t kFar = 1'700'000'000;

/// near.csv and far.csv are the same table but for the offset; so are the schemas.
class LargeNumbers : public ::testing::Test {
 protected:
  LargeNumbers() {
    workspace.open_ledger();
    workspace.write("near.csv", table_at(0));
    workspace.write("far.csv", table_at(kFar));
  }
  void write_schemas(const std::string& target) const {
    workspace.write("near.toml", schema_at(0, target));
    workspace.write("far.toml", schema_at(kFar, target));
  }
  Json run_json(const Words& words) const {
    const ToolResult result = ok(workspace.run(join(words, "--json --quiet")));
    return json_of(result);
  }
  std::vector<Words> cells(const std::string& name) const {
    std::istringstream stream(workspace.text(name));
    std::vector<Words> rows;
    for (std::string line; std::getline(stream, line);) {
      std::istringstream parts(line);
      rows.emplace_back();
      for (std::string cell; std::getline(parts, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
  }

  Workspace workspace;
};

const Words kSeeded = "--insecure-test-rng --seed 1";

TEST_F(LargeNumbers, TheReportedCaseIsRight) {
  const auto shared = shared_folder();
  if (!shared) GTEST_SKIP() << "no shared material";
  const std::filesystem::path folder = *shared / "cases/35-large-magnitude-means";
  const Json json = run_json(
      join({"means", "--schema", (folder / "s.toml").string(), "--data",
            (folder / "t.csv").string(), "--columns", "t", "--by", "g", "--rho", "10", "--explain"},
           kSeeded));
  EXPECT_NEAR(json.at("not_private").at("columns")[0].at("exact_overall"), 1700000028.95, 0.005);
  const Json& overall = json.at("overall")[0];
  EXPECT_LE(overall.at("ci")[0], 1700000028.95);
  EXPECT_GE(overall.at("ci")[1], 1700000028.95);
  EXPECT_LT(overall.at("ci")[1].get<double>() - overall.at("ci")[0].get<double>(), 1);
}

// Features are scaled before they are rounded: the same numbers, so the same model bit by bit.
TEST_F(LargeNumbers, FeaturesAndTargetsTrainAsTheyDoNearZero) {
  for (const std::string target : {"label", "z"}) {
    write_schemas(target);
    std::vector<Json> parameters;
    std::vector<std::vector<Words>> predicted;
    for (const std::string table : {"near", "far"}) {
      const std::string model = table + "-" + target;
      const Words train = {"train",
                           "--schema",
                           table + ".toml",
                           "--data",
                           table + ".csv",
                           "--model",
                           target == "z" ? "linear" : "logistic",
                           "--out",
                           model};
      ok(workspace.run(join(join(train,
                                 "--epsilon 50 --delta 1e-5 --steps 100 --batch-size 100 "
                                 "--learning-rate 1 --groups half"),
                            kSeeded)));
      parameters.push_back(workspace.json(model + "/model.json").at("parameters"));
      ok(workspace.run(
          {"predict", "--model", model, "--data", table + ".csv", "--out", model + ".csv"}));
      predicted.push_back(cells(model + ".csv"));
    }
    EXPECT_EQ(parameters[0].dump(), parameters[1].dump()) << target;
    ASSERT_EQ(predicted[1].size(), kNumRecords + 1U);
    int num_right = 0;
    for (size_t i = 1; i <= kNumRecords; ++i) {
      const std::string& near = predicted[0][i][1];
      const std::string& far = predicted[1][i][1];
      if (target == "label") {
        ASSERT_EQ(near, far);
        num_right += (far == "late") == (second_of(static_cast<int>(i) - 1) >= kSeconds / 2);
        continue;
      }
      ASSERT_EQ(far.find_first_not_of("0123456789."), far.npos) << far;
      ASSERT_NEAR(std::stod(far) - kFar, std::stod(near), 1e-6);
      num_right += std::fabs(std::stod(far) - kFar - kSeconds +
                             second_of(static_cast<int>(i) - 1)) < kSeconds / 4;
    }
    EXPECT_GT(num_right, kNumRecords * 3 / 4) << target;
  }
}

TEST_F(LargeNumbers, AuditsOfBandsAreThoseNearZero) {
  write_schemas("label");
  std::vector<Json> judged;
  for (const std::string table : {"near", "far"}) {
    ok(workspace.run(
        join({"train", "--schema", table + ".toml", "--data", table + ".csv", "--epsilon", "5",
              "--delta", "1e-5", "--steps", "50", "--batch-size", "100", "--out", table},
             kSeeded)));
    Json groups =
        run_json({"audit", "--model", table, "--data", table + ".csv", "--groups", "half"})
            .at("groups");
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].at("group").at("half"), table == "near" ? "below 30" : "below 1700000030");
    for (Json& group : groups) group.erase("group");
    judged.push_back(groups);
  }
  EXPECT_EQ(judged[0], judged[1]);
}

// Whole numbers as whole numbers, others with all their digits, in CSV and in Parquet.
TEST_F(LargeNumbers, SyntheticRowsAreThoseNearZero) {
  write_schemas("label");
  for (const std::string format : {"csv", "parquet"}) {
    std::vector<Json> judged;
    for (const std::string table : {"near", "far"}) {
      const std::string out = table + "-" + format;
      ok(workspace.run(join({"synth", "--drop-incomplete", "--schema", table + ".toml", "--data",
                             table + ".csv", "--epsilon", "20", "--delta", "1e-5", "--method",
                             "mst", "--format", format, "--out", out},
                            kSeeded)));
      judged.push_back(
          run_json({"synth", "evaluate", "--schema", table + ".toml", "--real", table + ".csv",
                    "--synthetic", out + "/rows." + format, "--degree", "2", "--by", "g"}));
      EXPECT_EQ(judged.back().at("ingest"), Json::array());
    }
    EXPECT_EQ(judged[0].at("workload_error"), judged[1].at("workload_error"));
    EXPECT_LT(judged[1].at("workload_error"), 0.5);
  }
  const std::vector<Words> near = cells("near-csv/rows.csv");
  const std::vector<Words> far = cells("far-csv/rows.csv");
  ASSERT_EQ(near.size(), far.size());
  for (size_t row = 1; row < far.size(); ++row) {
    ASSERT_EQ(far[row][0], std::to_string(kFar + std::stoll(near[row][0])));
    ASSERT_EQ(far[row][1].find_first_not_of("0123456789."), far[row][1].npos) << far[row][1];
    ASSERT_NEAR(std::stod(far[row][1]) - kFar, std::stod(near[row][1]), 1e-6);
  }
}

TEST_F(LargeNumbers, WhatDoublesCannotHoldIsRefusedByNameBeforeAnythingIsPaid) {
  const std::string good = schema_at(kFar, "label");
  const std::string bounds = fmt::format("bounds = [{}, {}]\nwhole", kFar, kFar + kSeconds);
  const NothingChanges nothing(workspace);
  for (const auto& [written, says] :
       {std::pair("bounds = [0, 9007199254740993]\nwhole", "columns.t.bounds has a whole number"),
        std::pair("bounds = [0, 1e17]\nwhole",
                  "columns.t.bounds must lie within +-900719925474099"),
        std::pair("bounds = [1e15, 1000000000000100]\nwhole", "columns.t.bounds must be at least"),
        std::pair("bounds = [1e15, 1000000000000100]\nwhole", "subtract a public number")}) {
    const TempFolder folder;
    const std::filesystem::path schema =
        folder.write_file("s.toml", replaced(good, bounds, written));
    for (const Words& command :
         {Words("means --columns x --rho 1"), Words("train --epsilon 1 --steps 1 --batch-size 10"),
          Words("synth --drop-incomplete --epsilon 1 --method mst --out rows")}) {
      expect_error(workspace.run(join(command, {"--schema", schema.string(), "--data", "far.csv",
                                                "--ledger", "people.ledger", "--delta", "1e-5"})),
                   3, says);
    }
  }
  nothing.check("schemas that are refused");
}

// Identifiers are no numbers: a draft ignores them, and has bounds and bins for what is one.
TEST_F(LargeNumbers, ADraftOfTheTableIsASchemaForRows) {
  std::string csv = "id,date,cents\n";
  for (int i = 0; i < 200; ++i) {
    csv += fmt::format("{},{},{}\n", 9007199254740993 + 1001 * i,
                       20240101 + 100 * (i % 12) + i % 28, 16777217 + 2 * (i * i % 5003));
  }
  workspace.write("t.csv", csv);
  ok(workspace.run("schema draft --data t.csv --out t.toml"));
  const std::string text = workspace.text("t.toml");
  EXPECT_THAT(text, HasSubstr("beyond 2^53 that double precision does not hold.\n[columns.id]\n"
                              "type = \"ignored\""));
  const Json checked = run_json("schema check --schema t.toml --data t.csv");
  EXPECT_EQ(checked.dump().find("clamped"), std::string::npos) << checked;
  ok(
      workspace.run(join("synth --schema t.toml --public-data --data t.csv --epsilon 20 --delta "
                         "1e-5 --method mst --out rows",
                         kSeeded)));
  std::set<std::string> cents;
  const std::vector<Words> rows = cells("rows/rows.csv");
  for (size_t row = 1; row < rows.size(); ++row) {
    ASSERT_EQ(rows[row].size(), 2U);
    for (const std::string& cell : rows[row]) ASSERT_EQ(cell.size(), 8U) << cell;
    cents.insert(rows[row][1]);
  }
  EXPECT_GT(cents.size(), 100U);
}

TEST_F(LargeNumbers, IntervalsAllowForTheRoundingOfAFigure) {
  constexpr int64_t kOffset = 1'000'000'000'000;
  constexpr double kStep = 0x1p-13;  // between doubles of that size
  for (int shift = 0; shift < 5; ++shift) {
    std::string csv = "t\n";
    double sum = 0;
    for (int i = 0; i < 301; ++i) {
      const double distance = kStep * (8192 - (i * 37 + i * i * shift) % 4000);
      sum += distance;
      csv += fmt::format("{}\n", kOffset + distance);
    }
    workspace.write("t.csv", csv);
    workspace.write("t.toml", fmt::format("schema = \"equinoise/1\"\ndataset = \"people\"\n"
                                          "reviewed = true\n[public]\nnum_records = 301\n"
                                          "[columns.t]\ntype = \"numeric\"\nbounds = [{}, {}]\n",
                                          kOffset, kOffset + 1));
    const Json json = run_json(
        join({"means", "--schema", "t.toml", "--data", "t.csv", "--columns", "t", "--rho", "1e7"},
             kSeeded));
    const Json& overall = json.at("overall")[0];
    ASSERT_LT(overall.at("noise_stddev"), kStep / 100);
    EXPECT_LE(overall.at("ci")[0].get<double>() - kOffset, sum / 301);
    EXPECT_GE(overall.at("ci")[1].get<double>() - kOffset, sum / 301);
    EXPECT_LT(overall.at("ci")[1].get<double>() - overall.at("ci")[0].get<double>(), 5 * kStep);
  }
}

TEST_F(LargeNumbers, MeansAreRightAndExactMeansAreExact) {
  workspace.write("wide.toml", schema_at(kFar, "label", 1000));
  const Words words = join({"means", "--schema", "wide.toml", "--data", "far.csv", "--columns",
                            "t,x", "--by", "g", "--rho", "10", "--explain"},
                           kSeeded);
  const Json json = run_json(words);
  for (size_t j = 0; j < 2; ++j) {
    std::array<double, 2> sums = {};
    for (int i = 0; i < kNumRecords; ++i)
      sums[i % 3 == 0 ? 0 : 1] += second_of(i) + 0.25 * static_cast<double>(j);
    const double a = kFar + sums[0] / (kNumRecords / 3);
    const double b = kFar + sums[1] / (kNumRecords - kNumRecords / 3);
    const double all = kFar + (sums[0] + sums[1]) / kNumRecords;
    const Json& exact = json.at("not_private").at("columns")[j];
    EXPECT_DOUBLE_EQ(exact.at("exact_strata")[0], a);
    EXPECT_DOUBLE_EQ(exact.at("exact_strata")[1], b);
    EXPECT_DOUBLE_EQ(exact.at("exact_overall"), all);
    const Json& overall = json.at("overall")[j];
    EXPECT_NEAR(overall.at("mean"), all, 5 * overall.at("noise_stddev").get<double>());
    EXPECT_LT(overall.at("noise_stddev"), 2);
    for (size_t k = 0; k < 2; ++k) {
      const Json& row = json.at("strata")[2 * k + j];
      EXPECT_NEAR(row.at("raw_mean"), k == 0 ? a : b, 5 * row.at("noise_stddev").get<double>());
    }
  }
  const std::string text = workspace.run(join(words, {"--verbose"})).out;
  EXPECT_THAT(text, AllOf(HasSubstr("within 1699999000 to 1700001060"), Not(HasSubstr("e+0"))));
  EXPECT_THAT(text, HasSubstr("t: exact overall mean 1700000029.5"));
}

}  // namespace
}  // namespace equinoise::testing::large_numbers_test
