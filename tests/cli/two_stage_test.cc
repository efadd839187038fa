// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::two_stage_test {
namespace {

Words words_of(const Words& more) {
  return Workspace::train_words(
      join("--method two_stage --groups sex --epsilon 1 --out model", more));
}

void declare_people(const Workspace& workspace) {
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
  workspace.open_ledger();
}

TEST(TwoStageRuns, TellLossesAndWeightsOfGroups) {
  const Workspace workspace;
  declare_people(workspace);
  const ToolResult plan =
      ok(workspace.run("plan --schema people.toml --method two_stage --groups sex --epsilon 1 "
                       "--steps 200 --delta 1e-5"));
  EXPECT_THAT(plan.out, HasSubstr("noisy sums of the losses of groups, after the first stage"));
  const ToolResult result = ok(workspace.run(with_option(words_of("--json"), "--steps", "200")));
  const Json settings = json_of(result).at("settings");
  EXPECT_EQ(settings.at("first_steps"), 40);
  const Json report = json_of(result);
  const Json& path = report.at("group_path");
  EXPECT_EQ(path.at(0).at("step"), 40);
  EXPECT_EQ(path.at(0).at("weights"), Json({1.0, 1.0}));
  EXPECT_NE(path.at(0).at("noisy_losses").at(0), path.at(0).at("noisy_losses").at(1));
  EXPECT_EQ(path.at(2).at("step"), 200);
  const Json& weights = path.at(2).at("weights");
  EXPECT_NEAR(weights.at(0).get<double>() * 134 / 400 + weights.at(1).get<double>() * 266 / 400, 1,
              0.01);
  EXPECT_EQ(report.at("trained_groups").size(), 2U);
  // The same in tables: of the card and of the page, which is also made again from the JSON.
  const std::string head = "first noisy loss, after step 40";
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr(head));
  EXPECT_THAT(workspace.text("model/report.html"), HasSubstr(head));
  ok(workspace.run({"report", "model"}));
  EXPECT_THAT(workspace.text("model/report.html"), HasSubstr(head));
  EXPECT_GT(workspace.spent(), 0.9);
  EXPECT_LE(workspace.spent(), 1);
}

}  // namespace
}  // namespace equinoise::testing::two_stage_test
