// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::fairlens_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FairLens, ATargetIsRefusedBeforeAnythingIsReadOrSpent) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  for (const Words& privacy :
       {Words{"--epsilon", "3"}, Words{"--epsilon", "3", "--noise-multiplier", "1"}}) {
    const Words words =
        join({"--method", "fairlens", "--groups", "sex", "--out", "model"}, privacy);
    const ToolResult result = workspace.train(words);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, AllOf(HasSubstr("fairlens is not private"), HasSubstr("--epsilon")));
    EXPECT_THAT(result.out, IsEmpty());
    nothing.check("train");
  }
  const ToolResult plan = workspace.run(
      join(Workspace::plan_words(), {"--method", "fairlens", "--groups", "sex", "--epsilon", "3"}));
  EXPECT_EQ(plan.exit_code, 2) << plan;
  EXPECT_THAT(plan.err, HasSubstr("fairlens is not private"));
}

/// Noise is a parameter of the experiment: no output makes a claim of it, and nothing is paid.
TEST(FairLens, TrainsWithNoiseAndWithoutAGuarantee) {
  const Workspace workspace;
  const Words words = {"--method",           "fairlens", "--groups",        "sex",
                       "--noise-multiplier", "1",        "--max-grad-norm", "0.5",
                       "--clipping-penalty", "0.25"};
  const ToolResult plan = workspace.run(join(Workspace::plan_words(), join(words, {"--json"})));
  ASSERT_EQ(plan.exit_code, 0) << plan;
  EXPECT_TRUE(json_of(plan).at("privacy").is_null());
  EXPECT_THAT(json_of(plan).at("events"), IsEmpty());
  EXPECT_THAT(workspace.run(join(Workspace::plan_words(), words)).out,
              AllOf(HasSubstr("NOT PRIVATE"), HasSubstr("gives no guarantee")));

  const ToolResult trained = workspace.train(join(words, {"--out", "model", "--json"}));
  ASSERT_EQ(trained.exit_code, 0) << trained;
  const Json json = json_of(trained);
  EXPECT_EQ(json.at("method"), "fairlens");
  EXPECT_EQ(json.at("status"), "not private");
  EXPECT_TRUE(json.at("privacy").is_null());
  for (const Json& group : json.at("groups")) EXPECT_TRUE(group.at("privacy").is_null()) << group;
  EXPECT_THAT(workspace.names("people.ledger"), IsEmpty());
  EXPECT_THAT(read_bytes(workspace.path("model/model_card.md")),
              AllOf(HasSubstr("NOT PRIVATE"), HasSubstr("gives no guarantee")));
  const Json settings = Json::parse(read_bytes(workspace.path("model/model.json"))).at("settings");
  EXPECT_EQ(settings.at("noise_multiplier"), 1);
  EXPECT_EQ(settings.at("noise_stddev"), 0.5);
  EXPECT_EQ(settings.at("clipping_penalty"), 0.25);
  EXPECT_EQ(settings.at("boundary_penalty"), 1);
  EXPECT_EQ(settings.at("num_groups"), 2);
}

/// Six groups, a reference beside.
TEST(FairLens, TrainsEveryModelOfATable) {
  const Workspace workspace;
  for (const Words& model : {Words{"logistic"}, Words{"softmax"}, Words{"mlp", "--hidden", "4"}}) {
    const ToolResult result = workspace.train(
        join(join({"--model"}, model), {"--method", "fairlens", "--groups", "city,sex",
                                        "--reference", "--clipping-penalty", "0.5"}));
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_THAT(result.out, HasSubstr("NOT PRIVATE: no guarantee"));
  }
}

}  // namespace
}  // namespace equinoise::testing::fairlens_test
