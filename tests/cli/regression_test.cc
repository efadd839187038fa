// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/cli/people.h"

namespace equinoise::testing::regression_test {
namespace {

/// People whose age is what is to be predicted, by city, sex and label.
void predict_ages(const Workspace& workspace, int num_records) {
  const std::string schema = people_schema(num_records);
  workspace.write("people.toml", replaced(schema, "target = \"label\"", "target = \"age\""));
  workspace.open_ledger("9");
}

ToolResult train(const Workspace& workspace, const std::string& epsilon, const Words& more) {
  return workspace.run(
      join({"train", "--schema", "people.toml", "--data", "people.csv", "--ledger", "people.ledger",
            "--method", "sufficient_statistics", "--delta", "1e-6", "--epsilon", epsilon},
           more));
}

TEST(Regression, ReleasesCoefficientsWithIntervals) {
  const Workspace workspace(6000);
  predict_ages(workspace, 6000);
  const ToolResult result =
      ok(train(workspace, "3", "--groups sex --out model --reference --json"));
  EXPECT_GT(workspace.spent(), 2) << "at the account's larger delta";
  EXPECT_LE(workspace.spent(), 3);
  const Json report = json_of(result);
  const Json& rows = report.at("regression").at("coefficients");
  ASSERT_EQ(rows.size(), 5);
  EXPECT_EQ(rows[4].at("name"), "intercept");
  for (const Json& row : rows) {
    EXPECT_LT(row.at("estimate_interval")[0], row.at("estimate")) << row;
    EXPECT_GT(row.at("estimate_interval")[1], row.at("estimate")) << row;
    EXPECT_GT(row.at("standard_error"), 0) << row;
  }
  // Nearly everybody above 45 has the label, and ages go evenly from 17 to 90.
  EXPECT_NEAR(std::fabs(rows[3].at("estimate").get<double>()), 30, 5) << rows[3];
  EXPECT_GT(report.at("regression").at("r_squared").at("estimate"), 0.4);
  EXPECT_NEAR(report.at("overall").at("r_squared").get<double>(),
              report.at("regression").at("r_squared").at("estimate").get<double>(), 0.1);
  // The reference takes the steps of sgd, not the one of the release.
  EXPECT_LT(report.at("reference").at("overall").at("rmse").get<double>(),
            1.05 * report.at("overall").at("rmse").get<double>());
  EXPECT_EQ(workspace.json("model/model_card.json").at("regression"), report.at("regression"));
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr("## Coefficients"));
  EXPECT_THAT(workspace.text("model/report.html"), HasSubstr("standard error"));
}

/// Of groups that weigh as their aim asks, and of which the release tells how well they are fit.
TEST(Regression, OfGroupsTellsHowItFitsEach) {
  const Workspace workspace(6000);
  predict_ages(workspace, 6000);
  const auto by_aim = [&](const Words& aim) {
    return workspace.run(
        join("train --schema people.toml --data people.csv --ledger people.ledger --method "
             "group_statistics --groups sex --delta 1e-6 --epsilon 3",
             aim));
  };
  const Json report = json_of(ok(by_aim("--out model --json --insecure-test-rng --seed 3")));
  const Json& groups = report.at("regression").at("groups");
  ASSERT_EQ(groups.size(), 2);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(groups[k].at("group"), report.at("groups")[k].at("group"));
    const Json& residual = groups[k].at("residual_stddev");
    const double rmse = report.at("groups")[k].at("rmse");
    EXPECT_LT(residual.at("estimate_interval")[0].get<double>(), 1.1 * rmse);
    EXPECT_GT(residual.at("estimate_interval")[1].get<double>(), 0.9 * rmse);
  }
  EXPECT_THAT(workspace.text("model/model_card.md"),
              HasSubstr("residual standard deviation, Female"));
  // A third is female, and the losses hardly differ.
  const auto weight = [&](const char* aim) {
    const ToolResult by =
        ok(by_aim({"--aim", aim, "--json", "--insecure-test-rng", "--seed", "3"}));
    return json_of(by).at("settings").at("weight Female").get<double>();
  };
  EXPECT_NEAR(report.at("settings").at("weight Female").get<double>(), 1, 1e-9);
  EXPECT_NEAR(weight("mean"), 1.5, 0.1);
  const double worst = weight("worst");
  EXPECT_TRUE(worst > 0 && worst < 3) << worst << " of at most 3, where the others weigh nothing";
  const double spent = workspace.spent();
  for (const auto& [words, named] :
       {std::pair{Words("--aim bounded"), "add --loss-limit"},
        {Words("--loss-limit 0.4"),
         "--loss-limit has no effect with --aim population (used only by bounded)"},
        {Words("--aim bounded --loss-limit 0"), "loss_limit must be"},
        {Words("--aim smallest"), "--aim: must be population, mean, worst or bounded"}}) {
    expect_error(by_aim(words), 2, named);
  }
  EXPECT_EQ(workspace.spent(), spent);
}

/// With a small budget: coefficients with an interval, and reasons for the others.
TEST(Regression, NamesWhatHasNoCoefficientAndWhy) {
  const Workspace workspace(6000);
  predict_ages(workspace, 6000);
  const Json plan = json_of(
      ok(workspace.run({"plan", "--schema", "people.toml", "--method", "sufficient_statistics",
                        "--epsilon", "0.2", "--delta", "1e-6", "--json"})));
  const double expected = plan.at("settings").at("expected_coefficients");
  const Json report = json_of(ok(train(workspace, "0.2", "--json")));
  int64_t num_shown = 0;
  for (const Json& row : report.at("regression").at("coefficients")) {
    EXPECT_TRUE(!row.at("estimate").is_null() || row.at("estimate_interval").is_null()) << row;
    EXPECT_EQ(row.at("estimate_interval").is_null(), row.contains("why_none")) << row;
    num_shown += row.at("estimate_interval").is_null() || row.at("name") == "intercept" ? 0 : 1;
  }
  EXPECT_LE(static_cast<double>(num_shown), expected + 1);
}

TEST(Regression, SaysWhatItCannotDo) {
  const Workspace workspace(400);
  predict_ages(workspace, 400);
  expect_error(train(workspace, "1", "--explain-every 1"), 2,
               "sufficient_statistics has no such steps");
  expect_error(train(workspace, "1", "--batch-size 10"), 2);
  expect_error(train(workspace, "1", "--steps 10"), 2, "takes one step, got --steps 10");
  EXPECT_EQ(workspace.spent(), 0);
}

/// Of two classes: log odds, and what exp() of them is.
TEST(Regression, OfTwoClassesReleasesLogOdds) {
  const Workspace workspace(6000);
  workspace.write("people.toml", people_schema(6000));
  workspace.open_ledger("9");
  const ToolResult result =
      workspace.run({"train", "--schema", "people.toml", "--data", "people.csv", "--ledger",
                     "people.ledger", "--method", "noisy_newton", "--delta", "1e-6", "--epsilon",
                     "5", "--newton-steps", "5", "--out", "model", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result;
  const Json regression = json_of(result).at("regression");
  EXPECT_TRUE(regression.at("log_odds_of").is_string());
  EXPECT_FALSE(regression.contains("r_squared"));
  ASSERT_FALSE(regression.at("coefficients").empty());
  for (const Json& row : regression.at("coefficients")) {
    if (row.at("estimate").is_null()) continue;
    EXPECT_LT(row.at("estimate_interval")[0], row.at("estimate")) << row;
    EXPECT_GT(row.at("estimate_interval")[1], row.at("estimate")) << row;
  }
  const std::string card = read_bytes(workspace.path("model/model_card.md"));
  EXPECT_THAT(card, HasSubstr("exp(estimate)"));
  EXPECT_THAT(card, Not(HasSubstr("R squared")));
  const ToolResult refused = workspace.run({"plan", "--schema", "people.toml", "--method",
                                            "noisy_newton", "--epsilon", "1", "--steps", "20"});
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, HasSubstr("say --newton-steps 20 instead of --steps"));
}

}  // namespace
}  // namespace equinoise::testing::regression_test
