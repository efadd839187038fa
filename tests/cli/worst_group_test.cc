// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::worst_group_test {
namespace {

Words train_words(const std::string& method, const Words& more = {}) {
  return join(Workspace::train_words(), join({"--method", method, "--groups", "sex", "--objective",
                                              "worst-group", "--epsilon", "1"},
                                             more));
}

void declare_sizes(const Workspace& workspace) {
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
}

TEST(WorstGroup, TellsThePathOfWeightsAndWhatWasClamped) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger("20");
  for (const std::string method : {"mgr_w", "mgr", "ags"}) {
    const Json report = json_of(ok(workspace.run(
        train_words(method, {"--loss-bound", "0.6", "--radius", "3", "--json", "--out", method}))));
    EXPECT_EQ(report.at("method"), method);
    EXPECT_EQ(report.at("status"), "private");
    EXPECT_LE(report.at("privacy").at("epsilon"), 1);
    EXPECT_GT(report.at("privacy").at("epsilon"), 0.999);
    const Json& path = report.at("group_path");
    ASSERT_THAT(path, SizeIs(50));
    EXPECT_EQ(path.back().at("step"), 50);
    for (const Json& point : path) {
      double sum = 0;
      for (const double weight : point.at("weights")) sum += weight;
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_EQ(point.contains("noisy_losses"), method != "ags");
    }
    EXPECT_THAT(report.at("ingest").dump(), HasSubstr("above loss_bound 0.6"));
    const Json card = workspace.json(method + "/model_card.json");
    EXPECT_EQ(card.at("group_path"), path) << "what was released with noise is publishable";
    EXPECT_THAT(workspace.text(method + "/model_card.md"),
                HasSubstr("Weights of groups in training"));
    EXPECT_THAT(workspace.text(method + "/report.html"),
                HasSubstr("Weights of groups in training"));
    double squared = 0;
    const Json model = workspace.json(method + "/model.json");
    for (const Json& parameter : model.at("parameters")) {
      const double value = parameter.at("value");
      squared += value * value;
    }
    EXPECT_LE(std::sqrt(squared), 3 * (1 + 1e-12));
  }
  EXPECT_GT(workspace.spent(), 1.5);
}

TEST(WorstGroup, PlansTellTheRatesAndTheNoiseOnLosses) {
  const Workspace workspace;
  declare_sizes(workspace);
  const Words words = join(Workspace::plan_words(), "--method mgr_w --groups sex --epsilon 1");
  const Json plan = json_of(workspace.run(join(words, "--json")));
  EXPECT_THAT(plan.at("notes"), ElementsAre(HasSubstr("--learning-rate sets another")));
  EXPECT_GT(plan.at("settings").at("group_loss_noise Female"),
            plan.at("settings").at("group_loss_noise Male"));
  const Json batches =
      json_of(workspace.run(join("plan --schema people.toml --ledger people.ledger --delta 1e-5 "
                                 "--method mgr --groups sex --epsilon 1 --json",
                                 "--group-batch-size 10")));
  EXPECT_NEAR(batches.at("settings").at("sample_rate"), 10.0 / 101, 1e-3);
}

/// Noise adds up in proportion to learning rates, so that one that nobody chose is lowered; the run
/// file has it.
TEST(WorstGroup, LearningRatesThatNobodyChoseAreLoweredWhereNoiseWouldDecide) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger("9");
  const char* note = "--learning-rate sets another";
  const char* slow = "noise may keep this model from learning";
  const char* noisy = "noise may decide this model's predictions";
  const std::string adult = EQUINOISE_SOURCE_DIR "/data/adult/schema.toml";
  const auto plan_of = [&](const Words& of_run) {
    return workspace.run(join({"plan", "--schema", adult, "--epsilon", "1"}, of_run)).out;
  };
  const Words sexes = "--method mgr_w --groups sex --max-grad-norm 1";
  EXPECT_THAT(plan_of(sexes), Not(HasSubstr(note)));
  const Words races = "--method balanced --groups race";
  EXPECT_THAT(plan_of(races), AllOf(HasSubstr(note), Not(HasSubstr(slow)), Not(HasSubstr(noisy))));
  const Words smallest = "--method mgr_w --groups race";
  EXPECT_THAT(plan_of(smallest), AllOf(HasSubstr("are trained as one (Asian-Pac-Islander; "),
                                       Not(HasSubstr(slow)), Not(HasSubstr(noisy))));
  EXPECT_THAT(plan_of(join(smallest, "--pool-below 0")),
              AllOf(HasSubstr(note), HasSubstr(slow), Not(HasSubstr(noisy))));
  EXPECT_THAT(plan_of(join(races, "--learning-rate 0.7")),
              AllOf(Not(HasSubstr(note)), HasSubstr(noisy)));
  EXPECT_THAT(plan_of("--method dpsgd --groups race"), Not(HasSubstr(note)));

  const Words words = "--method mgr_w --groups sex --epsilon 1";
  const ToolResult trained = ok(workspace.train(join(words, "--out slower --json")));
  const double rate = json_of(trained).at("settings").at("learning_rate");
  EXPECT_LT(rate, 0.7);
  EXPECT_GT(rate, 0.1);
  // The same run from its file, which needs no rule to know the rate.
  EXPECT_THAT(workspace.text("slower/run.toml"),
              HasSubstr(fmt::format("learning_rate = {:g}", rate)));
  const ToolResult again =
      ok(workspace.run("train --config slower/run.toml --data people.csv --out again --json"));
  EXPECT_EQ(json_of(again).at("settings").at("learning_rate"), rate);
}

/// Groups that are trained as one learn what they would if they were one, and are told one by one.
TEST(WorstGroup, PoolingTrainsWhatMergingDoes) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_overlapping_sizes(true));
  for (const char* method : {"mgr_w", "mgr", "ags"}) {
    const Words words = join(
        {"--method", method},
        "--groups sex,city --epsilon 1 --learning-rate 0.1 --insecure-test-rng --seed 3 --json");
    const auto report_of = [&](const Words& more, const std::string& out) {
      const ToolResult result = ok(workspace.train(join(words, join(more, {"--out", out}))));
      return json_of(result);
    };
    const std::string name = method;
    const Json pooled = report_of("--pool-below 60", name + "_pooled");
    const Json merged = report_of("--small-groups merge --min-group-size 60", name + "_merged");
    const auto parameters = [&](const std::string& out) {
      return workspace.json(out + "/model.json").at("parameters");
    };
    EXPECT_EQ(parameters(name + "_pooled"), parameters(name + "_merged"));
    EXPECT_EQ(pooled.at("trained_groups"), merged.at("trained_groups"));
    EXPECT_EQ(pooled.at("group_path"), merged.at("group_path"));
    EXPECT_GT(pooled.at("groups").size(), merged.at("groups").size());
    // The same from the run file.
    ok(workspace.run({"train", "--config", name + "_pooled/run.toml", "--data", "people.csv",
                      "--out", name + "_again", "--insecure-test-rng", "--seed", "3", "--json"}));
    EXPECT_EQ(parameters(name + "_again"), parameters(name + "_pooled"));
  }
}

/// Privacy would seem to cost too little if the reference learnt as slowly.
TEST(WorstGroup, TheReferenceLearnsAtTheUsualRate) {
  const Workspace workspace;
  declare_sizes(workspace);
  for (const Words& method :
       {Words("--method mgr_w"), Words("--method raco_dp --constraint fnr:0.3")}) {
    std::vector<double> losses;
    for (const Words& rate : {Words{}, Words("--learning-rate 0.7")}) {
      const ToolResult result = workspace.train(join(
          method, join("--groups sex --epsilon 0.4 --reference --insecure-test-rng --seed 1 --json",
                       rate)));
      ASSERT_THAT(result.exit_code, AnyOf(0, 5)) << result;
      const Json report = json_of(result);
      losses.push_back(report.at("reference").at("overall").at("loss"));
      EXPECT_EQ(report.at("settings").at("learning_rate") < 0.7, rate.empty());
    }
    EXPECT_EQ(losses[0], losses[1]) << method[1];
  }
}

TEST(WorstGroup, ACertifiedReferenceTellsHowFarTheLargestLossIs) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger("20");
  const Json report =
      json_of(ok(workspace.run(train_words("mgr_w", "--reference minimax --json --out model"))));
  EXPECT_EQ(report.at("reference").at("method"), "minimax");
  const Json& largest = report.at("largest_training_loss");
  EXPECT_EQ(largest.at("radius"), 1000);
  EXPECT_GE(largest.at("least_upper"), largest.at("least_lower"));
  EXPECT_LE(largest.at("least_upper").get<double>() - largest.at("least_lower").get<double>(),
            1e-4);
  EXPECT_GE(largest.at("loss"), largest.at("least_lower"));
  // It is of the records as they are.
  for (const char* file : {"model.json", "model_card.json", "model_card.md"})
    EXPECT_THAT(
        workspace.text(std::string("model/") + file),
        AllOf(Not(HasSubstr("largest_training_loss")), Not(HasSubstr("norm at most 1000"))));
  EXPECT_THAT(workspace.text("model/report.html"), HasSubstr("norm at most 1000"));
  EXPECT_THAT(workspace.text("model/run.toml"), HasSubstr("reference = \"minimax\""));
  // The same from the run file, where the ball is the method's.
  const Json in_ball =
      json_of(
          ok(workspace.run("train --config model/run.toml --data people.csv --radius 0.5 --json")))
          .at("largest_training_loss");
  EXPECT_EQ(in_ball.at("radius"), 0.5);
  EXPECT_GE(in_ball.at("least_lower"), largest.at("least_lower"));
  // Without a name it is the method that takes steps.
  const ToolResult usual =
      ok(workspace.run(train_words("mgr_w", "--reference --json --out usual")));
  EXPECT_EQ(json_of(usual).at("reference").at("method"), "group_dro");
  EXPECT_TRUE(json_of(usual).at("largest_training_loss").is_null());
  EXPECT_THAT(workspace.text("usual/run.toml"), HasSubstr("reference = true"));
}

TEST(WorstGroup, AReferenceThatCannotBeTrainedIsRefusedBeforeItIsPaidFor) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger("20");
  const std::vector<Refusal> refusals = {
      {"--method mgr_w --reference dpsgd", 2, "has a guarantee"},
      {"--method mgr_w --reference minimum", 2, "did you mean \"minimax\""},
      {"--method dpsgd --reference minimax", 2,
       "--reference minimax: it is trained on the groups that the model is trained on, and dpsgd "
       "uses none"},
      {"--method mgr_w --reference sgda", 2, "there are no constraints"},
      {"--method mgr_w --model mlp --reference minimax",
       2,
       {"--reference minimax: ", "got mlp", "use group_dro"}}};
  expect_refusals(workspace, refusals, [](const Words& words) {
    return Workspace::train_words(join(words, "--groups sex --epsilon 1"));
  });
}

TEST(WorstGroup, MinimaxByItselfIsAtItsUpperBound) {
  const Workspace workspace;
  const Words words =
      "train --schema people.toml --data people.csv --method minimax --groups sex --out model";
  const ToolResult text = ok(workspace.run(words));
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("NOT PRIVATE"), ContainsRegex("the model is above it by +0 to")));
  const Json report = workspace.json("model/report.json");
  EXPECT_EQ(report.at("status"), "not private");
  const Json& largest = report.at("largest_training_loss");
  EXPECT_EQ(largest.at("loss"), largest.at("least_upper"));
  // It has neither batches nor an optimizer.
  EXPECT_FALSE(report.contains("optimizer"));
  EXPECT_FALSE(report.at("settings").contains("batch_size"));
  expect_error(workspace.run(join(words, "--force --model mlp")), 2, "use group_dro");
  // The page can be made again from its JSON.
  const std::string page = workspace.text("model/report.html");
  ok(workspace.run({"report", "model"}));
  EXPECT_EQ(workspace.text("model/report.html"), page);
}

/// Nothing tells what noise does to scores of a network, so what it does to steps decides.
TEST(WorstGroup, NetworksTrainGroupsThatNoiseWouldDrownAsOne) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_overlapping_sizes(true));
  for (const char* method : {"mgr_w", "mgr", "ags"}) {
    const auto report_of = [&](const std::string& groups, const Words& more) {
      const ToolResult result = ok(workspace.train(
          join({"--method", method, "--model", "mlp", "--hidden", "4", "--groups", groups,
                "--epsilon", "1", "--insecure-test-rng", "--seed", "3", "--json"},
               more)));
      return json_of(result);
    };
    const Json pooled = report_of("sex,city", {});
    EXPECT_GT(pooled.at("groups").size(), pooled.at("trained_groups").size()) << method;
    EXPECT_THAT(pooled.at("warnings").dump() + pooled.at("settings").dump(), Not(HasSubstr("nan")));
    EXPECT_EQ(report_of("sex,city", "--pool-below 0").at("trained_groups").size(),
              pooled.at("groups").size());
  }
}

/// Whoever is about to pay for a model of noise is told so first, and so is whoever gets the model.
TEST(WorstGroup, NoiseThatDecidesIsSaidBeforeItIsPaidFor) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger("9");
  const Words small = "--method mgr_w --groups sex --epsilon 0.02";
  const char* warning = "noise may keep this model from learning";
  EXPECT_THAT(workspace.run(join(Workspace::plan_words(), small)).out, HasSubstr(warning));
  EXPECT_THAT(workspace.train(join(small, "--dry-run")).out, HasSubstr(warning));
  const ToolResult trained = ok(workspace.train(join(small, "--out noisy --json")));
  const size_t said = trained.err.find(warning);
  ASSERT_NE(said, std::string::npos) << trained;
  EXPECT_LT(said, trained.err.find("reserving epsilon"));
  EXPECT_THAT(json_of(trained).at("warnings").dump(), HasSubstr(warning));
  EXPECT_THAT(workspace.text("noisy/model_card.md"), HasSubstr(warning));
  EXPECT_THAT(workspace.text("noisy/model_card.json"), HasSubstr(warning));
  const Words large = "--method mgr_w --groups sex --epsilon 100";
  EXPECT_THAT(workspace.run(join(Workspace::plan_words(), large)).out, Not(HasSubstr(warning)));
}

}  // namespace
}  // namespace equinoise::testing::worst_group_test
