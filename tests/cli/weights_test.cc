// SPDX-License-Identifier: Apache-2.0
// Survey weights: which commands take them, what they make of them, and what the others say.

#include <array>

#include "tests/cli/people.h"

namespace equinoise::testing::weights_test {
namespace {

constexpr int kNumPersons = 200;
constexpr double kTightly = 1e-9;

/// What a person of a survey weighs; `rule` makes other columns of it.
double weight_of(int i) { return 10 + i * 47 % 390; }

/// Columns x (numeric), g (a, b), PWGTP and y; the weight is what `text_of` makes of a person.
template <typename TextOf>
std::string survey_csv(TextOf text_of) {
  std::string text = "x,g,PWGTP,y\n";
  for (int i = 0; i < kNumPersons; ++i) {
    text += std::to_string(i * 37 % 101) + (i % 3 == 0 ? ",b," : ",a,") + text_of(i) +
            (i % 7 < 3 ? ",yes\n" : ",no\n");
  }
  return text;
}

std::string survey_csv() {
  return survey_csv([](int i) { return std::to_string(static_cast<int>(weight_of(i))); });
}

std::string survey_schema(const std::string& weights =
                              "type = \"numeric\"\nbounds = [0, 400]\n"
                              "feature = false\n") {
  return schema_head("survey", "y", kNumPersons) + group_sizes("g", {{"a", 133}, {"b", 67}}) +
         numeric_section("x", 0, 100) + categorical_section("g", {"a", "b"}) + "[columns.PWGTP]\n" +
         weights + categorical_section("y", {"no", "yes"});
}

class Weights : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.write("survey.csv", survey_csv());
    workspace.write("survey.toml", survey_schema());
  }

  ToolResult audit(const Words& more) const {
    return workspace.run(
        join("audit --predictions survey.csv --target y --probability p --groups g", more));
  }
  ToolResult means(const Words& more, int seed = 3) const {
    return workspace.run(
        join({"means", "--schema", "survey.toml", "--data", "survey.csv", "--columns", "x",
              "--insecure-test-rng", "--seed", std::to_string(seed)},
             more));
  }
  void open_ledger() const {
    ok(
        workspace.run("ledger init --ledger survey.ledger --dataset survey --epsilon 30 --delta "
                      "1e-5 --relation replace_one"));
  }

  Workspace workspace;
};

/// Predictions: p is 0.2 to 0.8 and says little of y.
std::string predicted_csv(const std::function<std::string(int)>& weight) {
  std::string text = "p,g,PWGTP,y\n";
  for (int i = 0; i < kNumPersons; ++i) {
    text += "0." + std::to_string(2 + i % 7) + (i % 3 == 0 ? ",b," : ",a,") + weight(i) +
            (i % 5 < 2 ? ",yes\n" : ",no\n");
  }
  return text;
}

std::string plain_weight(int i) { return std::to_string(static_cast<int>(weight_of(i))); }

TEST_F(Weights, AuditOfPredictionsCountsRecordsByTheirs) {
  workspace.write("survey.csv", predicted_csv(plain_weight));
  const Json json = json_of(audit("--weight-column PWGTP --json"));
  double all = 0;
  double selected = 0;
  for (int i = 0; i < kNumPersons; ++i) {
    if (i % 3 != 0) continue;
    all += weight_of(i);
    selected += i % 7 >= 3 ? weight_of(i) : 0;
  }
  const Json& b = json.at("groups").at(1);
  EXPECT_EQ(json.at("weights"), "PWGTP");
  EXPECT_EQ(b.at("num_records"), 67);
  EXPECT_NEAR(b.at("weight").get<double>(), all, kTightly * all);
  EXPECT_NEAR(b.at("selection_rate").get<double>(), selected / all, kTightly);
  EXPECT_LT(b.at("effective_records").get<double>(), 60);
  const Json plain = json_of(audit("--json"));
  EXPECT_FALSE(plain.contains("weights"));
  EXPECT_NE(plain.at("groups").at(1).at("selection_rate"), b.at("selection_rate"));
  const ToolResult text = ok(audit("--weight-column PWGTP --min-ratio selection_rate=0.1 --out o"));
  EXPECT_THAT(text.out, HasAll("Weights: column PWGTP", "weight %", "counts are of records"));
  EXPECT_THAT(workspace.text("o/report.html"), HasSubstr("Weights: column PWGTP"));
}

TEST_F(Weights, RecordsOfNoWeightAreLeftOutAndCounted) {
  workspace.write("survey.csv", predicted_csv([](int i) {
                    return i % 3 == 0 ? "0" : i % 10 == 1 ? "" : plain_weight(i);
                  }));
  const Json json = json_of(audit("--weight-column PWGTP --json"));
  const Json& b = json.at("groups").at(1);
  EXPECT_EQ(b.at("num_records"), 0);
  for (const char* key : {"selection_rate", "accuracy", "loss", "auc"})
    EXPECT_TRUE(b.at(key).is_null()) << key;
  EXPECT_THAT(json.at("ingest").dump(), HasAll("67 records have weight 0 and count for nothing",
                                               "their weight or a group is missing"));
  EXPECT_TRUE(json.at("disparities").at(0).at("difference_between_groups").is_null());
  workspace.write("survey.csv", predicted_csv([](int) { return "0"; }));
  const ToolResult nothing = ok(audit("--weight-column PWGTP"));
  EXPECT_THAT(nothing.out,
              AllOf(HasSubstr("no record has a weight above 0"), Not(HasSubstr("nan"))));
}

TEST_F(Weights, WhatIsNoWeightIsRefusedByName) {
  const auto refused = [&](const ToolResult& result, int exit_code, const std::string& message) {
    EXPECT_EQ(result.exit_code, exit_code) << result;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.out, IsEmpty());
  };
  workspace.write("survey.csv",
                  predicted_csv([](int i) { return i == 4 ? "-7.25" : plain_weight(i); }));
  const ToolResult negative = audit("--weight-column PWGTP");
  refused(negative, 3, "row 5 (line 6) column 'PWGTP' is below 0, which no weight can be");
  EXPECT_THAT(negative.err, Not(HasSubstr("7.25")));
  refused(audit("--weight-column PWGT"), 3, "PWGT");
  refused(audit("--weight-column g"), 2, "groups by 'g' are made of the column, too");
  refused(audit("--weight-column p"), 2, "named for two uses");
  refused(audit("--weight-column y"), 2, "named for two uses");
  for (const auto& [declared, message] :
       {std::pair{"type = \"ignored\"\n", "the column is ignored, but weights are numbers"},
        {"type = \"categorical\"\nvalues = [\"1\", \"2\"]\n", "the column is categorical"},
        {"type = \"date\"\nbounds = [2020-01-01, 2021-01-01]\n", "is a date or a time"},
        {"type = \"numeric\"\nbounds = [-5, 400]\n", "its bounds begin at -5"}}) {
    workspace.write("survey.toml", survey_schema(declared));
    const Words weights = "--weight-column PWGTP";
    refused(means(join("--rho 0.1", weights)), 2, message);
    refused(workspace.run(join("synth evaluate --schema survey.toml --real survey.csv --synthetic "
                               "survey.csv --degree 1",
                               weights)),
            2, message);
    refused(audit(join("--schema survey.toml", weights)), 2, message);
  }
  workspace.write("survey.toml", survey_schema());
  refused(means("--rho 0.1 --weight-column PWGT"), 3, "PWGTP");
  refused(means("--rho 0.1 --weight-column x"), 2, "named for another use");
  refused(means("--rho 0.1 --weight-column PWGTP --method coinpress --stddev x=30"), 2,
          "coinpress has no form for weighted records");
  refused(means("--rho 0.1 --weight-column PWGTP --clipped-share 0.1 --bounds x=1:99"), 2,
          "clipped_share counts records");
}

TEST_F(Weights, OfTrainingAndSyntheticRowsThereAreNone) {
  for (const auto& [command, message] : {std::pair{"train", "training has no survey weights"},
                                         {"plan", "training has no survey weights"},
                                         {"synth", "synthetic rows have no survey weights"}}) {
    const ToolResult result =
        workspace.run({command, "--schema", "survey.toml", "--weight-column", "PWGTP"});
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err,
                AllOf(HasSubstr(message), HasSubstr("evaluate"), Not(HasSubstr("unknown option"))));
  }
  for (const Words& command : {Words{"audit"}, {"means"}, {"plan", "means"}, {"synth", "evaluate"}})
    EXPECT_THAT(workspace.run(join(command, "--help")).out, HasSubstr("--weight-column"));
}

TEST_F(Weights, AuditOfAModelFollowsTheSchema) {
  open_ledger();
  ok(
      workspace.run("train --schema survey.toml --data survey.csv --method sgd --steps 20 "
                    "--batch-size 50 --insecure-test-rng --seed 3 --out model"));
  const Words words = "audit --model model --data survey.csv --groups g";
  const Json json =
      json_of(workspace.run(join(words,
                                 "--weight-column PWGTP --reference model --constraint "
                                 "demographic_parity:g:0.9 --held-out --json")));
  EXPECT_EQ(json.at("weights"), "PWGTP");
  EXPECT_EQ(json.at("overall").at("num_records"), 50);
  EXPECT_EQ(json.at("overall").at("accuracy_cost"), 0);
  EXPECT_EQ(json.at("constraints").at(0).at("holds"), true);
  expect_error(workspace.run(join(words, "--weight-column PWGTP --explain")), 2,
               "--explain is about a step of training");
  ok(workspace.run(join(words, "--weight-column x")));
}

TEST_F(Weights, SyntheticRowsAreComparedWithWeightedRecords) {
  // Of the rows each stands for ten persons of its weight.
  std::string rows = "x,g,y\n";
  for (int i = 0; i < kNumPersons; ++i) {
    for (int copy = 0; copy < static_cast<int>(weight_of(i)); ++copy)
      rows += std::to_string(i * 37 % 101) + (i % 3 == 0 ? ",b" : ",a") +
              (i % 7 < 3 ? ",yes\n" : ",no\n");
  }
  workspace.write("rows.csv", rows);
  const auto evaluate = [&](const std::string& synthetic, const Words& more) {
    return workspace.run(
        join({"synth", "evaluate", "--schema", "survey.toml", "--real", "survey.csv", "--synthetic",
              synthetic, "--degree", "2", "--by", "g", "--target", "y"},
             more));
  };
  const Json same = json_of(evaluate("rows.csv", "--weight-column PWGTP --json"));
  EXPECT_NEAR(same.at("workload_error").get<double>(), 0, kTightly);
  EXPECT_NEAR(same.at("parity").at("marginals").at("parity_error").get<double>(), 0, kTightly);
  EXPECT_NEAR(same.at("parity").at("means").at("parity_error").get<double>(), 0, kTightly);
  EXPECT_EQ(same.at("marginals"), 3);  // of x, g and y
  EXPECT_EQ(same.at("real_records"), 200);
  EXPECT_EQ(same.at("weights"), "PWGTP");
  const Json own = json_of(evaluate("survey.csv", "--weight-column PWGTP --json"));
  EXPECT_NEAR(own.at("workload_error").get<double>(), 0, kTightly);
  EXPECT_NEAR(own.at("classifier").at("accuracy").get<double>(),
              same.at("classifier").at("accuracy").get<double>(), 0.02);
  const ToolResult text = evaluate("rows.csv", "--weight-column PWGTP");
  EXPECT_THAT(text.out, HasSubstr("Weights: column PWGTP;"));
  EXPECT_THAT(text.out, HasSubstr("synthetic rows have no such column and count alike"));
}

TEST_F(Weights, MeansAreWeightedAndPaid) {
  open_ledger();
  const Words words =
      "means --schema survey.toml --data survey.csv --ledger survey.ledger --columns x --by g "
      "--rho 2 --delta 1e-5 --method bounded --weight-column PWGTP";
  const Json json = json_of(workspace.run(join(words, "--explain --json")));
  double sum = 0;
  double all = 0;
  for (int i = 0; i < kNumPersons; ++i) {
    sum += weight_of(i) * (i * 37 % 101);
    all += weight_of(i);
  }
  EXPECT_NEAR(json.at("not_private").at("columns").at(0).at("exact_overall").get<double>(),
              sum / all, kTightly);
  EXPECT_EQ(json.at("record_weights"),
            Json({{"column", "PWGTP"}, {"largest", 400.0}, {"expected_mean", 400.0}}));
  EXPECT_EQ(json.at("columns").at(0).at("weights"), "noisy sums of weights");
  EXPECT_EQ(json.at("columns").at(0).at("by_weight"), true);
  const Json& overall = json.at("overall").at(0);
  EXPECT_LE(overall.at("ci").at(0), overall.at("mean"));
  EXPECT_NEAR(overall.at("weight").get<double>(), all, 0.2 * all);
  EXPECT_NEAR(overall.at("mean").get<double>(), sum / all, 10);
  EXPECT_FALSE(json.at("strata").at(0).contains("num_values"));
  const Json ledger = json_of(workspace.run("ledger show --ledger survey.ledger --json"));
  ASSERT_EQ(ledger.at("entries").size(), 1U);
  EXPECT_EQ(ledger.at("entries").at(0).at("events"), json.at("events"));
  EXPECT_THAT(ledger.dump(), HasSubstr("weighted by PWGTP"));
  const ToolResult text = workspace.run(join(words, "--verbose"));
  EXPECT_THAT(text.out, HasAll("Each record counts by its PWGTP, at most 400", "sum of weights",
                               "weighted mean of"));
}

TEST_F(Weights, TablesAreOfThePersonsThatRecordsRepresent) {
  open_ledger();
  const Words words =
      "tables --schema survey.toml --data survey.csv --ledger survey.ledger --by g --count --mean "
      "x --total x --median x --share y --histogram y --rho 5 --delta 1e-5 --weight-column PWGTP";
  const Json json = json_of(workspace.run(join(words, "--json")));
  for (const std::string group : {"a", "b"}) {
    std::map<std::string, double> exact;
    for (int i = 0; i < kNumPersons; ++i) {
      if ((i % 3 == 0) != (group == "b")) continue;
      exact["count"] += weight_of(i);
      exact["total"] += weight_of(i) * (i * 37 % 101);
      if (i % 7 < 3) exact["histogram"] += weight_of(i);
    }
    exact["mean"] = exact["total"] / exact["count"];
    exact["share"] = exact["histogram"] / exact["count"];
    for (const Json& figure : json.at("figures")) {
      const std::string statistic = figure.at("statistic");
      if (figure.at("group") != Json({{"g", group}}) || exact.count(statistic) == 0 ||
          (figure.contains("value") && figure.at("value") != "yes"))
        continue;
      const double width =
          figure.at("interval")[1].get<double>() - figure.at("interval")[0].get<double>();
      EXPECT_NEAR(figure.at("estimate").get<double>(), exact[statistic], 2 * width) << figure;
      EXPECT_GT(width, 0);
      exact.erase(statistic);
    }
    EXPECT_EQ(exact.size(), 0U) << "each statistic has its figure";
  }
  EXPECT_EQ(json.at("record_weights").at("largest"), 400);
  EXPECT_EQ(json.at("events").size(), 1U);
  EXPECT_THAT(workspace.run("ledger show --ledger survey.ledger --json").out,
              HasSubstr("weighted by PWGTP"));
  const ToolResult text = workspace.run(join(words, "--verbose --insecure-test-rng --seed 3"));
  EXPECT_THAT(text.out, HasAll("Each record counts by its PWGTP, at most 400"));
  expect_error(workspace.run(join(words, "--quantiles PWGTP=0.5")), 2, "weights are only weights");
}

/// Cells that the schema promises and the table lacks: the sum of weights of x is not of all.
TEST_F(Weights, APromiseThatIsBrokenMovesNoOtherCount) {
  std::string text = "x,g,PWGTP,y\n";
  double exact = 0;
  for (int i = 0; i < kNumPersons; ++i) {
    text += (i % 4 == 0 ? "" : std::to_string(i * 37 % 101)) + ",a," + plain_weight(i) +
            (i % 7 < 3 ? ",yes\n" : ",no\n");
    if (i % 7 < 3) exact += weight_of(i);
  }
  workspace.write("survey.csv", text);
  std::string schema = survey_schema();
  schema.insert(schema.find("[columns.g]"), "missing = \"none\"\n");
  workspace.write("survey.toml", schema);
  const Json json = json_of(
      workspace.run("tables --schema survey.toml --data survey.csv --mean x --histogram y --rho "
                    "1000 --weight-column PWGTP --insecure-test-rng --seed 3 --json"));
  for (const Json& figure : json.at("figures")) {
    if (figure.value("value", "") != "yes") continue;
    EXPECT_NEAR(figure.at("estimate").get<double>(), exact, 0.01 * exact);
  }
}

TEST_F(Weights, AMeanThatNoiseHidesIsNull) {
  workspace.write("survey.csv", survey_csv([](int i) { return i % 3 == 0 ? "0" : "400"; }));
  const Json json = json_of(means("--by g --rho 0.05 --weight-column PWGTP --json"));
  const Json& hidden = json.at("strata").at(1);
  for (const char* key : {"mean", "ci", "raw_mean", "noise_stddev"})
    EXPECT_TRUE(hidden.at(key).is_null()) << key;
  EXPECT_THAT(hidden.at("note").get<std::string>(), HasSubstr("there is no figure"));
  EXPECT_FALSE(hidden.contains("weight"));
  EXPECT_TRUE(json.at("strata").at(0).at("mean").is_number());
  const ToolResult text = means("--by g --rho 0.05 --weight-column PWGTP --explain");
  EXPECT_THAT(text.out, AllOf(HasSubstr("there is no figure"), Not(HasSubstr("nan")),
                              HasSubstr("their weight is 0 or missing")));
}

TEST_F(Weights, WithoutAnyNoErrorIsTheLargest) {
  workspace.write("survey.csv", survey_csv([](int) { return "0"; }));
  const Words words = "--by g --rho 0.05 --weight-column PWGTP --explain";
  const Json json = json_of(means(join(words, "--json")));
  const Json& explained = json.at("not_private").at("columns").at(0);
  for (const char* key : {"exact_overall", "largest_group_error", "largest_absolute_error"})
    EXPECT_TRUE(explained.at(key).is_null()) << key;
  EXPECT_FALSE(json.at("overall").at(0).contains("weight"));
  EXPECT_THAT(means(words).out, AllOf(HasSubstr("largest error of a stratum - or -"),
                                      HasSubstr("exact overall mean -;"), Not(HasSubstr("nan"))));
}

// Weights have any unit: the sum of a stratum of 133 and of one of 67, and of both.
TEST_F(Weights, SumsOfThemAreToldInTheirUnit) {
  const auto text_with = [&](const std::string& weight) {
    workspace.write("survey.csv", survey_csv([&](int) { return weight; }));
    workspace.write("survey.toml",
                    survey_schema("type = \"numeric\"\nbounds = [0, " + weight + "]\n"));
    return means("--by g --rho 1e7 --weight-column PWGTP").out;
  };
  for (const auto& [weight, sums] : {std::pair{"0.01", std::array{"  1.33 ", "  0.67 ", "  2 "}},
                                     {"1e30", {"1.33e+32", "6.7e+31", "2e+32"}},
                                     {"400", {"53,200", "26,800", "80,000"}}}) {
    const std::string text = text_with(weight);
    for (const char* sum : sums) EXPECT_THAT(text, HasSubstr(sum)) << weight;
  }
}

// The noise of 40 strata together is far more than that of the sum that is released for all.
TEST_F(Weights, TheSumOfAllIsWhatTheOverallMeanIsDividedBy) {
  constexpr int kNumRegions = 40;
  std::string text = "x,r,w\n";
  for (int i = 0; i < 2000; ++i)
    text += std::to_string(i % 100) + ",r" + std::to_string(i % kNumRegions) + ",3\n";
  std::vector<std::string> regions;
  std::string sizes;
  for (int r = 0; r < kNumRegions; ++r) {
    regions.push_back("r" + std::to_string(r));
    sizes += group_sizes("r", {{regions.back(), 50}});
  }
  workspace.write("survey.csv", text);
  workspace.write("survey.toml",
                  schema_head("survey", "", 2000) + sizes + numeric_section("x", 0, 100) +
                      categorical_section("r", regions) + numeric_section("w", 0, 4));
  for (int seed = 1; seed <= 5; ++seed) {
    const Json overall =
        json_of(means("--by r --rho 0.003 --weight-column w --json", seed)).at("overall").at(0);
    const double noise = overall.at("weight_noise_stddev");
    EXPECT_LT(noise, 6000 / 4);
    EXPECT_NEAR(overall.at("weight").get<double>(), 6000, 5 * noise);
  }
}

TEST_F(Weights, APlanSaysWhatTheyCostInWidth) {
  const Words words =
      "plan means --schema survey.toml --columns x --rho 0.5 --weight-column PWGTP --json";
  const auto width = [&](const std::string& declared) {
    workspace.write("survey.toml", survey_schema(declared));
    const Json json = json_of(workspace.run(words));
    EXPECT_THAT(json.at("methods").at(3).at("problem").get<std::string>(),
                HasSubstr("no form for weighted records"));
    return json.at("methods").at(1).at("columns").at(0).at("overall_width").get<double>();
  };
  const double largest = width("type = \"numeric\"\nbounds = [0, 400]\n");
  EXPECT_NEAR(width("type = \"numeric\"\nbounds = [0, 400]\nscale = \"standard\"\nmean = 40\n"
                    "stddev = 30\n"),
              10 * largest, 1e-6 * largest);
  EXPECT_THAT(
      workspace.run("plan means --schema survey.toml --columns x --rho 0.5 --weight-column PWGTP")
          .out,
      HasSubstr("the declared mean of 40"));
}

}  // namespace
}  // namespace equinoise::testing::weights_test
