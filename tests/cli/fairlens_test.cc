// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/registry.h"
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

TEST(FairLens, OptionsThatCannotBeHonouredAreUsageErrors) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  for (const auto& [words, named] :
       {std::pair{Words{}, "give --groups"},
        {Words{"--groups", "sex", "--clipping-penalty", "-1"}, "clipping_penalty must lie between"},
        {Words{"--groups", "sex", "--boundary-penalty", "nan"},
         "boundary_penalty must lie between"},
        {Words{"--groups", "sex", "--noise-multiplier", "-1"},
         "noise_multiplier must lie between"}}) {
    const ToolResult result =
        workspace.train(join({"--method", "fairlens", "--out", "model"}, words));
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(named));
    nothing.check(named);
  }
}

TEST(FairLens, ItsPenaltiesAreRefusedByAllOtherMethods) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  const Json methods = json_of(workspace.run({"methods", "--json"}));
  for (const Json& row : methods.at("rows")) {
    if (row.at("task") != "train" || row.at("name") == "fairlens") continue;
    Words needed = row.at("status") == "private" ? Words{"--epsilon", "1"} : Words{};
    if (row.at("name") == "raco_dp" || row.at("name") == "sgda")
      needed = join(needed, {"--constraint", "fnr:0.1"});
    for (const std::string option : {"--clipping-penalty", "--boundary-penalty"}) {
      Words words = Workspace::train_words(
          join(needed, {"--method", row.at("name"), "--groups", "sex", option, "1"}));
      const std::string name = row.at("name");
      if (!find_training_method(name).follows("batch_size")) {
        const auto size = std::find(words.begin(), words.end(), "--batch-size");
        words.erase(size, size + 2);
      }
      const ToolResult result = workspace.run(words);
      EXPECT_EQ(result.exit_code, 2) << row << result;
      EXPECT_THAT(result.err, HasSubstr("(used only by fairlens);"));
      nothing.check(option);
    }
  }
}

}  // namespace
}  // namespace equinoise::testing::fairlens_test
