// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::group_thresholds_test {
namespace {

/// Sums and noisy counts of a batch are one event, with two counts for each group.
TEST(GroupThresholds, ThePlanChargesSumsAndCounts) {
  const Workspace workspace;
  const Words words = "--method dpsgd_f --noise-multiplier 4 --json";
  const Json plan =
      json_of(ok(workspace.run(join(Workspace::plan_words(), join(words, "--groups sex")))));
  const Json& batch = plan.at("events")[0].at("event").at("event").at("events");
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_EQ(batch[0].at("noise_multiplier"), 4);
  EXPECT_EQ(batch[1].at("noise_multiplier"), 12);
  const ToolResult alone =
      workspace.run(join(Workspace::plan_words(), "--noise-multiplier 4 --json"));
  EXPECT_GT(plan.at("privacy").at("epsilon"), json_of(alone).at("privacy").at("epsilon"));
}

TEST(GroupThresholds, IsTrainedAndSaysThatItsNoiseVaries) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words words = "--method dpsgd_f --epsilon 1 --out model";
  const ToolResult trained = ok(workspace.train(join(words, "--groups sex")));
  EXPECT_THAT(trained.err + trained.out,
              HasSubstr("depends on the largest threshold of any group"));
  const Json model = workspace.json("model/model.json");
  EXPECT_EQ(model.at("settings").at("num_groups"), 2);
  EXPECT_EQ(model.at("settings").at("thresholds_of_code"), 0);
}

/// Quotients of few noisy counts are large by noise alone, and the noise of a step with them.
TEST(GroupThresholds, AreLimitedUnlessTheUserChoosesALimit) {
  const Workspace workspace;
  workspace.open_ledger();
  const auto limit = [&](const Words& words) {
    const ToolResult planned = ok(workspace.run(
        join(Workspace::plan_words(),
             join("--method dpsgd_f --groups sex --max-grad-norm 0.5 --json", words))));
    return json_of(planned).at("settings").at("max_threshold");
  };
  EXPECT_EQ(limit("--epsilon 1"), 2);
  EXPECT_EQ(limit("--epsilon 1 --max-threshold 1e6"), 1e6);
}

}  // namespace
}  // namespace equinoise::testing::group_thresholds_test
