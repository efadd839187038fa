// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/people.h"

namespace equinoise::testing::network_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Words kMlp = {"--model", "mlp", "--hidden", "7,5", "--activation", "relu", "--epsilon", "1"};

TEST(Network, IsTrainedKeptAndUsed) {
  const Workspace workspace;
  workspace.open_ledger();
  const ToolResult trained = workspace.train(join(kMlp, {"--groups", "sex", "--out", "model"}));
  ASSERT_EQ(trained.exit_code, 0) << trained;
  const Json model = Json::parse(read_bytes(workspace.path("model/model.json")));
  EXPECT_EQ(model.at("model"), "mlp");
  EXPECT_THAT(model.at("network").at("hidden"), ElementsAre(7, 5));
  EXPECT_EQ(model.at("network").at("activation"), "relu");
  EXPECT_EQ(model.at("settings").at("init_seed"), 0);
  // 6 features, two classes.
  EXPECT_EQ(model.at("parameters").size(), 7U * 7 + 8 * 5 + 6 * 2);
  EXPECT_EQ(model.at("parameters")[0].at("name").get<std::string>().rfind("layer1 ", 0), 0U);
  EXPECT_THAT(read_bytes(workspace.path("model/model_card.md")),
              HasSubstr("mlp, hidden layers of 7, 5, relu"));

  const ToolResult audited = workspace.run(
      {"audit", "--model", "model", "--data", "people.csv", "--groups", "sex", "--json"});
  ASSERT_EQ(audited.exit_code, 0) << audited;
  EXPECT_EQ(json_of(audited).at("model"), "mlp");
  const ToolResult predicted = workspace.run(
      {"predict", "--model", "model", "--data", "people.csv", "--out", "predictions.csv"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted;
}

TEST(Network, ADamagedOneIsAnInputErrorThatNamesTheFile) {
  const Workspace workspace;
  workspace.open_ledger();
  ASSERT_EQ(workspace.train(join(kMlp, {"--out", "model"})).exit_code, 0);
  Json model = Json::parse(read_bytes(workspace.path("model/model.json")));
  for (const Json& hidden : {Json::array(), Json::array({0}), Json::array({7, -5}), Json("7")}) {
    model["network"]["hidden"] = hidden;
    workspace.write("damaged.json", model.dump());
    const ToolResult result =
        workspace.run({"audit", "--model", "damaged.json", "--data", "people.csv"});
    EXPECT_EQ(result.exit_code, 3) << result;
    EXPECT_THAT(result.err, HasSubstr("damaged.json"));
  }
}

TEST(Network, ThePlanTellsWhatWillBeTrained) {
  const Workspace workspace;
  const ToolResult plan = workspace.run(join(Workspace::plan_words(), kMlp));
  ASSERT_EQ(plan.exit_code, 0) << plan;
  EXPECT_THAT(plan.out, HasSubstr("mlp, hidden layers of 7, 5, relu"));
}

TEST(Network, OptionsThatMakeNoneAreRefusedBeforeAnythingHappens) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  for (const auto& [words, named] :
       {std::pair{Words{"--hidden", "0"}, "hidden must lie between 1 and 65536, got 0"},
        {Words{"--activation", "gelu"}, "--activation: must be tanh or relu"}}) {
    const ToolResult result = workspace.train(
        join(join({"--model", "mlp", "--epsilon", "1"}, words), {"--out", "model"}));
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(named));
    nothing.check(named);
  }
  const ToolResult no_number =
      workspace.train({"--model", "mlp", "--epsilon", "1", "--hidden", "12,x"});
  EXPECT_EQ(no_number.exit_code, 2) << no_number;
  EXPECT_THAT(no_number.err, HasSubstr("--hidden"));
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

TEST(Optimizer, IsChosenToldAndPartOfTheRun) {
  const Workspace workspace;
  workspace.open_ledger();
  const ToolResult plan = workspace.run(
      join(Workspace::plan_words(), {"--epsilon", "1", "--optimizer", "adam", "--json"}));
  ASSERT_EQ(plan.exit_code, 0) << plan;
  const Json told = json_of(plan);
  EXPECT_EQ(told.at("optimizer"), "adam");
  EXPECT_EQ(told.at("settings").at("learning_rate"), 0.01);
  EXPECT_EQ(told.at("settings").at("beta2"), 0.999);
  EXPECT_FALSE(told.at("settings").contains("momentum"));
  const ToolResult trained = workspace.train(
      {"--epsilon", "1", "--optimizer", "momentum", "--momentum", "0.5", "--out", "model"});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  const Json model = Json::parse(read_bytes(workspace.path("model/model.json")));
  EXPECT_EQ(model.at("optimizer"), "momentum");
  EXPECT_EQ(model.at("settings").at("momentum"), 0.5);
  const NothingChanges nothing(workspace);
  for (const auto& [words, named] :
       {std::pair{Words{"--optimizer", "rmsprop"}, "must be sgd, momentum or adam"},
        {Words{"--optimizer", "momentum", "--momentum", "1"}, "momentum"},
        {Words{"--optimizer", "adam", "--beta2", "nan"}, "beta2"}}) {
    const ToolResult result = workspace.train(join({"--epsilon", "1", "--out", "other"}, words));
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(named));
    nothing.check(named);
  }
}

}  // namespace
}  // namespace equinoise::testing::network_test
