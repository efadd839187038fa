// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::global_methods_test {
namespace {

using ::testing::HasSubstr;

TEST(GlobalMethods, ThePlanTellsTheStrictBoundAndWhatTheCountCosts) {
  const Workspace workspace;
  const auto plan = [&](const Words& more) {
    return json_of(workspace.run(
        join(Workspace::plan_words(), join({"--epsilon", "1", "--steps", "50", "--json"}, more))));
  };
  const Json global = plan({"--method", "dpsgd_global", "--max-grad-norm", "0.5"});
  EXPECT_EQ(global.at("settings").at("strict_bound"), 5);
  EXPECT_FALSE(global.at("settings").contains("count_noise_multiplier"));
  const Json adapt = plan({"--method", "dpsgd_global_adapt", "--strict-bound", "3"});
  EXPECT_EQ(adapt.at("settings").at("strict_bound"), 3);
  const double noise = adapt.at("settings").at("noise_multiplier");
  EXPECT_DOUBLE_EQ(adapt.at("settings").at("count_noise_multiplier"), 3 * noise);
  const Json& batch = adapt.at("events").at(0).at("event").at("event");
  ASSERT_EQ(batch.at("events").size(), 2U);
  EXPECT_DOUBLE_EQ(batch.at("events")[1].at("noise_multiplier"), 3 * noise);
  // The count must be paid for: more noise on the gradients, for the same epsilon.
  EXPECT_GT(adapt.at("settings").at("noise_multiplier"),
            global.at("settings").at("noise_multiplier"));
  EXPECT_LE(adapt.at("privacy").at("epsilon"), 1);
}

TEST(GlobalMethods, ACountThatCostsTooMuchIsNamed) {
  const Workspace workspace;
  const Words words =
      join(Workspace::plan_words(), {"--method", "dpsgd_global_adapt", "--epsilon", "0.1"});
  EXPECT_EQ(workspace.run(words).exit_code, 0);
  const ToolResult result =
      workspace.run(join(words, {"--count-noise-multiplier", "10", "--steps", "3000"}));
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_THAT(result.err, HasSubstr("count_noise_multiplier"));
}

TEST(GlobalMethods, AreTrainedAndPaidFor) {
  const Workspace workspace;
  workspace.open_ledger("10");
  for (const std::string method : {"dpsgd_global", "dpsgd_global_adapt"}) {
    const double before = workspace.spent();
    const ToolResult trained =
        workspace.train({"--method", method, "--epsilon", "1", "--out", method});
    ASSERT_EQ(trained.exit_code, 0) << trained;
    const Json model = Json::parse(read_bytes(workspace.path(method + "/model.json")));
    EXPECT_EQ(model.at("method"), method);
    EXPECT_EQ(model.at("status"), "private");
    EXPECT_GT(workspace.spent(), before + 0.5);
  }
}

}  // namespace
}  // namespace equinoise::testing::global_methods_test
