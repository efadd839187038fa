// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "tests/cli/people.h"

namespace equinoise::testing::network_test {
namespace {

const Words kMlp = "--model mlp --hidden 7,5 --activation relu --epsilon 1";

TEST(Network, ADamagedOneIsAnInputErrorThatNamesTheFile) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train(join(kMlp, "--out model")));
  Json model = workspace.json("model/model.json");
  for (const Json& hidden : {Json::array(), Json::array({0}), Json::array({7, -5}), Json("7")}) {
    model["network"]["hidden"] = hidden;
    workspace.write("damaged.json", model.dump());
    expect_error(workspace.run("audit --model damaged.json --data people.csv"), 3, "damaged.json");
  }
}

TEST(Network, OptionsThatMakeNoneAreRefusedBeforeAnythingHappens) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::vector<Refusal> refusals = {
      {"--hidden 0", 2, "hidden must lie between 1 and 65536, got 0"},
      {"--activation gelu", 2, "--activation: must be tanh or relu"},
      {"--hidden 12,x", 2, "--hidden"}};
  expect_refusals(workspace, refusals, [](const Words& words) {
    return Workspace::train_words(join("--model mlp --epsilon 1 --out model", words));
  });
}

TEST(Optimizer, IsChosenToldAndPartOfTheRun) {
  const Workspace workspace;
  workspace.open_ledger();
  const Json told = json_of(
      ok(workspace.run(join(Workspace::plan_words(), "--epsilon 1 --optimizer adam --json"))));
  EXPECT_EQ(told.at("optimizer"), "adam");
  EXPECT_EQ(told.at("settings").at("learning_rate"), 0.01);
  EXPECT_EQ(told.at("settings").at("beta2"), 0.999);
  EXPECT_FALSE(told.at("settings").contains("momentum"));
  ok(workspace.train("--epsilon 1 --optimizer momentum --momentum 0.5 --out model"));
  const Json model = workspace.json("model/model.json");
  EXPECT_EQ(model.at("optimizer"), "momentum");
  EXPECT_EQ(model.at("settings").at("momentum"), 0.5);
  const std::vector<Refusal> refusals = {
      {"--optimizer rmsprop", 2, "must be sgd, momentum or adam"},
      {"--optimizer momentum --momentum 1", 2, "momentum"},
      {"--optimizer adam --beta2 nan", 2, "beta2"}};
  expect_refusals(workspace, refusals, [](const Words& words) {
    return Workspace::train_words(join("--epsilon 1 --out other", words));
  });
}

/// Another network or another start would be another run.
TEST(Network, ARunGoesOnWithTheSameNetworkOnly) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words run = with_option(
      Workspace::train_words(join(
          kMlp, {"--checkpoint", "run.checkpoint", "--checkpoint-every", "100", "--out", "model"})),
      "--steps", "40000");
  ToolProcess process(run, workspace.here());
  ASSERT_TRUE(workspace.wait_for_file("run.checkpoint"));
  process.send(SIGINT);
  const ToolResult stopped = process.finish();
  ASSERT_EQ(stopped.exit_code, 1) << stopped;
  for (const auto& [name, value] :
       {std::pair{"--hidden", "5,7"}, {"--activation", "tanh"}, {"--init-seed", "1"}}) {
    const ToolResult result = workspace.run(join(with_option(run, name, value), {"--resume"}));
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr("run.checkpoint"));
  }
}

}  // namespace
}  // namespace equinoise::testing::network_test
