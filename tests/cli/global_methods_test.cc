// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::global_methods_test {
namespace {

TEST(GlobalMethods, ThePlanTellsTheStrictBoundAndWhatTheCountCosts) {
  const Workspace workspace;
  const auto plan = [&](const Words& more) {
    return json_of(
        workspace.run(join(Workspace::plan_words(), join("--epsilon 1 --steps 50 --json", more))));
  };
  const Json global = plan("--method dpsgd_global --max-grad-norm 0.5");
  EXPECT_EQ(global.at("settings").at("strict_bound"), 5);
  EXPECT_FALSE(global.at("settings").contains("count_noise_multiplier"));
  const Json adapt = plan("--method dpsgd_global_adapt --strict-bound 3");
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
  const Words words = join(Workspace::plan_words(), "--method dpsgd_global_adapt --epsilon 0.1");
  ok(workspace.run(words));
  expect_error(workspace.run(join(words, "--count-noise-multiplier 10 --steps 3000")), 2,
               "count_noise_multiplier");
}

}  // namespace
}  // namespace equinoise::testing::global_methods_test
