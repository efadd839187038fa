// SPDX-License-Identifier: Apache-2.0
// Run files: what --out holds repeats the run, --config takes it, and what is wrong in one is named
// with its line.

#include "equinoise/train/registry.h"
#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::run_file_test {
namespace {

void declare_sizes(const Workspace& workspace) {
  const std::string schema = people_schema_with_sizes(134, 266);
  workspace.write("people.toml", schema);
  workspace.write("ages.toml", replaced(schema, "target = \"label\"", "target = \"age\""));
}

/// What a run wrote, but for where, when and by which words.
Json outcome(const Workspace& workspace, const std::string& folder) {
  Json model = workspace.json(folder + "/model.json");
  model.erase("command");
  return model;
}

bool takes_steps(const TrainingMethodRow& row) {
  return row.name != "sufficient_statistics" && row.name != "group_statistics" &&
         row.steps_option.empty();
}

/// What each method needs, and options of its own that are not the defaults.
Words words_of(const TrainingMethodRow& row) {
  Words words = join({"train", "--method", std::string(row.name), "--schema",
                      row.trains("logistic") ? "people.toml" : "ages.toml"},
                     "--data people.csv --groups sex --insecure-test-rng --seed "
                     "18446744073709551615 --split-seed 7");
  if (takes_steps(row)) words = join(words, "--steps 12");
  if (row.status == PrivacyStatus::kPrivate) words = join(words, "--epsilon 2.5");
  if (row.uses_constraints)
    words = join(words, "--constraint fnr:0.1 --constraint demographic_parity:sex:0.1");
  const std::vector<std::pair<std::string, Words>> others = {
      {"optimizer", "--optimizer momentum --momentum 0.25"},
      {"learning_rate", "--learning-rate 0.3"},
      {"group_weight", "--group-weight Female=0.7"},
      {"split", "--split error --residual-clip 1.5 --max-share Male=0.8"},
      {"group_batch_size", "--group-batch-size 20"},
      {"histogram", "--histogram soft"},
      {"thresholds", "--thresholds code"},
      {"radius", "--radius 3"},
      {"row_bound", "--row-bound 2"},
      {"target_bound", "--target-bound 0.4"},
      {"newton_steps", "--newton-steps 2"}};
  for (const auto& [option, given] : others)
    if (row.follows(option)) words = join(words, given);
  return words;
}

TEST(RunFile, OfEveryMethodRepeatsTheRun) {
  const Workspace workspace;
  declare_sizes(workspace);
  for (const TrainingMethodRow& row : training_methods()) {
    const std::string name(row.name);
    const ToolResult first = workspace.run(join(words_of(row), {"--out", name}));
    // 5: a constraint fails.
    ASSERT_THAT(first.exit_code, AnyOf(0, 5)) << name << first;
    expect_error(workspace.run({"train", "--config", name + "/run.toml", "--out", name + "_2"}),
                 first.exit_code);
    EXPECT_EQ(outcome(workspace, name), outcome(workspace, name + "_2")) << name;
    EXPECT_EQ(workspace.text(name + "/run.toml"), workspace.text(name + "_2/run.toml")) << name;
  }
}

TEST(RunFile, OfANetworkAndOfOverlappingGroupsRepeatTheRun) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_overlapping_sizes(true));
  const Words start =
      "train --schema people.toml --data people.csv --steps 10 --epsilon 2 --insecure-test-rng "
      "--seed 3";
  int i = 0;
  for (const Words& more : {Words("--model mlp --hidden 6,5 --activation relu --init-seed 9"),
                            Words("--method group_weighted --overlapping --groups sex --groups "
                                  "city --group-weight Female=0.5 --group-weight north=0.5")}) {
    const std::string name = "model" + std::to_string(i++);
    ok(workspace.run(join(join(start, more), {"--out", name})));
    ok(workspace.run({"train", "--config", name + "/run.toml", "--out", name + "_2"}));
    EXPECT_EQ(outcome(workspace, name), outcome(workspace, name + "_2"));
  }
}

TEST(RunFile, OfSyntheticRowsRepeatsThem) {
  const Workspace workspace;
  declare_sizes(workspace);
  for (const Words& more : {Words("--method mst"), Words("--method aim --degree 2 --bins-of age=5"),
                            Words("--method gem --rounds 4 --query-form cell --stratify sex")}) {
    const std::string& name = more[1];
    ok(workspace.run(join(join("synth --drop-incomplete --schema people.toml --data people.csv "
                               "--epsilon 3 --insecure-test-rng --seed 5",
                               more),
                          {"--out", name})));
    ok(workspace.run({"synth", "--config", name + "/run.toml", "--out", name + "_2"}));
    EXPECT_EQ(workspace.text(name + "/rows.csv"), workspace.text(name + "_2/rows.csv"));
  }
}

constexpr const char* kHead = "equinoise_run = 1\ncommand = \"train\"\n";
constexpr const char* kTraining =
    "schema = \"people.toml\"\ndata = \"people.csv\"\nepsilon = 1\nsteps = 20\n"
    "groups = [\"sex\"]\n";

TEST(RunFile, OptionsOnTheCommandLineGoBeforeItsOwnAndThatIsSaid) {
  const Workspace workspace;
  workspace.write("run.toml", std::string(kHead) + kTraining + "learning_rate = 0.25\n");
  const ToolResult plan = ok(workspace.run("plan --config run.toml --epsilon=2 --json"));
  EXPECT_THAT(
      plan.err,
      HasSubstr("--epsilon on the command line takes precedence over epsilon in run.toml:5"));
  EXPECT_THAT(plan.err, Not(HasSubstr("learning_rate")));
  const Json json = Json::parse(plan.out);
  EXPECT_NEAR(json.at("privacy").at("epsilon").get<double>(), 2, 0.01);
  EXPECT_EQ(json.at("settings").at("learning_rate"), 0.25);
}

TEST(RunFile, OfMeansIsTakenByMeansAndTheirPlan) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.write("run.toml",
                  "equinoise_run = 1\ncommand = \"means\"\nschema = \"people.toml\"\n"
                  "data = \"people.csv\"\ncolumns = [\"age\"]\nby = [\"sex\"]\nrho = 0.5\n"
                  "insecure_test_rng = true\nseed = 4\n");
  const ToolResult means = ok(workspace.run("means --config run.toml --json"));
  ok(workspace.run("plan means --config run.toml --json"));
}

TEST(RunFile, WhatIsWrongInItIsNamedWithItsLine) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::string head = kHead;
  const std::string training = kTraining;
  for (const auto& [text, code, named] : {
           std::tuple{
               head + training + "momentumm = 0.5\n", 3,
               "run.toml:8: momentumm is not an option of equinoise train; did you mean momentum?"},
           {head + training + "rho = 0.5\n", 3,
            "run.toml:8: rho is not an option of equinoise train; it is an option of equinoise "
            "means"},
           {head + training + "learning-rate = 0.5\n", 3,
            "run.toml:8: learning-rate is not an option of equinoise train; did you mean "
            "learning_rate?"},
           {head + training + "batch_size = \"many\"\n", 3,
            "run.toml:8: batch_size must be a number without quotes, e.g. batch_size = 1"},
           {head + training + "batch_size = true\n", 3, "run.toml:8: batch_size needs a value"},
           {head + training + "overlapping = 1\n", 3,
            "run.toml:8: overlapping must be true or false: overlapping = true"},
           {head + training + "out = \"model\"\n", 3,
            "run.toml:8: out belongs on the command line: --out"},
           {head + training + "max_grad_norm = -1\n", 2, "run.toml:8: max_grad_norm is set there"},
           {head + training + "optimizer = \"sdg\"\n", 2, "run.toml:8: optimizer is set there"},
           {head + training + "momentum = 0.5\n", 2, "run.toml:8: momentum is set there"},
           {head + training + "hidden = [4, \"five\"]\n", 3,
            "run.toml:8:10: hidden must be a list of only numbers or only strings"},
           {head + training + "hidden = 2026-11-25\n", 3, "hidden is a date or time"},
           {head + training + "epsilon = 2\n", 3, "run.toml:8:11: not valid TOML"},
           {"command = \"train\"\n" + training, 3,
            "run.toml:1:1: equinoise_run is missing; write equinoise_run = 1"},
           {"equinoise_run = 2\ncommand = \"train\"\n" + training, 3,
            "run.toml:1:17: equinoise_run = 2 is another version of run files; this version of "
            "equinoise reads 1"},
           {"equinoise_run = 1\n" + training, 3, "command is missing; write command = \"train\""},
           {"equinoise_run = 1\ncommand = \"synth\"\n", 3,
            "run.toml: is a run file for equinoise synth, not for equinoise train"},
           {"", 3, "run.toml: is empty"},
       }) {
    workspace.write("run.toml", text);
    expect_refused(workspace, "train --config run.toml --ledger people.ledger --out model", code,
                   named);
  }
  expect_error(workspace.run("train --config none.toml"), 3, "none.toml: no such file");
}

TEST(RunFile, AnUnknownOptionIsRefusedWithTheNearestAndWhoHasIt) {
  const Workspace workspace;
  expect_error(workspace.run("train --schema people.toml --data people.csv --max-shar 0.5"), 2,
               "did you mean --max-share, an option of dpse, dpse_alg3");
}

}  // namespace
}  // namespace equinoise::testing::run_file_test
