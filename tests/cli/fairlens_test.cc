// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::fairlens_test {
namespace {

TEST(FairLens, ATargetIsRefusedBeforeAnythingIsReadOrSpent) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  for (const Words& privacy : {Words("--epsilon 3"), Words("--epsilon 3 --noise-multiplier 1")}) {
    const Words words = join("--method fairlens --groups sex --out model", privacy);
    const ToolResult result = workspace.train(words);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasAll("fairlens is not private", "--epsilon"));
    EXPECT_THAT(result.out, IsEmpty());
    nothing.check("train");
  }
  expect_error(
      workspace.run(join(Workspace::plan_words(), "--method fairlens --groups sex --epsilon 3")), 2,
      "fairlens is not private");
}

/// Noise is a parameter of the experiment: no output makes a claim of it, and nothing is paid.
TEST(FairLens, TrainsWithNoiseAndWithoutAGuarantee) {
  const Workspace workspace;
  const Words words =
      "--method fairlens --groups sex --noise-multiplier 1 --max-grad-norm 0.5 --clipping-penalty "
      "0.25";
  const ToolResult plan = ok(workspace.run(join(Workspace::plan_words(), join(words, "--json"))));
  EXPECT_TRUE(json_of(plan).at("privacy").is_null());
  EXPECT_THAT(json_of(plan).at("events"), IsEmpty());
  EXPECT_THAT(workspace.run(join(Workspace::plan_words(), words)).out,
              HasAll("NOT PRIVATE", "gives no guarantee"));

  const Json json = json_of(ok(workspace.train(join(words, "--out model --json"))));
  EXPECT_EQ(json.at("method"), "fairlens");
  EXPECT_EQ(json.at("status"), "not private");
  EXPECT_TRUE(json.at("privacy").is_null());
  for (const Json& group : json.at("groups")) EXPECT_TRUE(group.at("privacy").is_null()) << group;
  EXPECT_THAT(workspace.names("people.ledger"), IsEmpty());
  EXPECT_THAT(workspace.text("model/model_card.md"), HasAll("NOT PRIVATE", "gives no guarantee"));
  const Json settings = workspace.json("model/model.json").at("settings");
  EXPECT_EQ(settings.at("noise_multiplier"), 1);
  EXPECT_EQ(settings.at("noise_stddev"), 0.5);
  EXPECT_EQ(settings.at("clipping_penalty"), 0.25);
  EXPECT_EQ(settings.at("boundary_penalty"), 1);
  EXPECT_EQ(settings.at("num_groups"), 2);
}

}  // namespace
}  // namespace equinoise::testing::fairlens_test
