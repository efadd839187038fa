// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::additive_test {
namespace {

using ::testing::HasSubstr;

/// Trained without --model, kept with names of cells, and used by audits and predictions alike.
TEST(Additive, IsTrainedKeptAndUsed) {
  const Workspace workspace(4000);
  const std::string schema = people_schema(4000);
  workspace.write("people.toml", schema);
  workspace.open_ledger("5");
  const Words words = {"train",    "--schema",      "people.toml", "--data", "people.csv",
                       "--ledger", "people.ledger", "--method",    "dpgam",  "--epsilon",
                       "3",        "--groups",      "sex",         "--out",  "model",
                       "--json",   "--reference"};
  const ToolResult trained = workspace.run(words);
  ASSERT_EQ(trained.exit_code, 0) << trained;
  EXPECT_LE(workspace.spent(), 3);
  EXPECT_GT(workspace.spent(), 2);
  const Json report = json_of(trained);
  EXPECT_EQ(report.at("model"), "additive");
  EXPECT_LT(report.at("overall").at("error"), 0.25);
  EXPECT_LT(report.at("reference").at("overall").at("loss").get<double>(),
            1.1 * report.at("overall").at("loss").get<double>());
  const Json model = Json::parse(read_bytes(workspace.path("model/model.json")));
  EXPECT_THAT(model.at("parameters")[0].at("name").get<std::string>(), HasSubstr("age=17"));
  const ToolResult audited = workspace.run({"audit", "--model", "model", "--data", "people.csv",
                                            "--held-out", "--groups", "sex", "--json"});
  ASSERT_EQ(audited.exit_code, 0) << audited;
  EXPECT_EQ(json_of(audited).at("overall").at("loss"), report.at("overall").at("loss"));
  const ToolResult predicted = workspace.run(
      {"predict", "--model", "model", "--data", "people.csv", "--out", "predictions.csv"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted;
}

}  // namespace
}  // namespace equinoise::testing::additive_test
