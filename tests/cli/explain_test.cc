// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::explain_test {
namespace {

Words audit_words(const Words& more = {}) {
  return join("audit --model model --data people.csv --explain --explain-directions 20", more);
}

/// Every method, and what clips nothing: each group's loss by causes, in every form.
TEST(Explain, TellsWhatAStepDoesToEachGroup) {
  for (const std::string method : {"dpsgd", "dpsgd_global", "dpsgd_global_adapt", "dpsgd_f",
                                   "raco_dp", "fairlens", "sgd", "sgda"}) {
    const Workspace workspace;
    workspace.open_ledger();
    const bool is_plain = method == "sgd" || method == "sgda";
    const bool is_constrained = method == "raco_dp" || method == "sgda";
    Words privacy = is_plain               ? Words()
                    : method == "fairlens" ? Words("--noise-multiplier 1")
                                           : Words("--epsilon 1");
    if (is_constrained) privacy = join(privacy, "--constraint demographic_parity:sex:0.05");
    if (method != "sgd") privacy = join(privacy, "--max-grad-norm 0.1");
    const ToolResult trained =
        workspace.train(join(privacy, {"--method", method, "--groups", "sex", "--model", "mlp",
                                       "--hidden", "4", "--out", "model"}));
    ASSERT_THAT(trained.exit_code, AnyOf(0, is_constrained ? 5 : 0)) << trained;
    const Json report = json_of(workspace.run(audit_words("--groups sex --json --out told")));
    ASSERT_EQ(report.at("explanations").size(), 1U);
    const Json& explanation = report.at("explanations")[0];
    EXPECT_EQ(explanation.at("groups").size(), 2U);
    for (const Json& group : explanation.at("groups")) {
      const double clip = group.at("clip");
      if (is_plain) {
        EXPECT_EQ(clip, 0);
        EXPECT_EQ(group.at("noise"), 0);
      } else {
        EXPECT_NE(clip, 0);
        EXPECT_NE(group.at("noise"), 0);
      }
    }
    EXPECT_THAT(workspace.text("told/report.html"),
                HasSubstr("Effect of one training step on the loss"));
    const ToolResult text = workspace.run(audit_words("--groups sex --verbose"));
    EXPECT_THAT(text.out, HasSubstr("Effect of one training step on the loss of groups by sex"));
    EXPECT_THAT(text.err, HasSubstr("(2 of 2 groups)"));
    EXPECT_THAT(text.out, HasSubstr(is_plain ? "gradients not clipped"
                                             : "gradients clipped as in " + method));
    EXPECT_EQ((text.out + text.err).find("also follow a penalty") != std::string::npos,
              method == "fairlens");
    EXPECT_EQ((text.out + text.err).find("also follow constraints") != std::string::npos,
              is_constrained);
    // The noise of the largest clip of the step, on the mean.
    const Json settings = workspace.json("model/model.json").at("settings");
    const double stddev = explanation.at("noise_stddev");
    if (is_plain) {
      EXPECT_EQ(stddev, 0);
    } else {
      const double flat = settings.at("noise_multiplier").get<double>() * 0.1 / 64;
      EXPECT_GE(stddev, flat * (method == "dpsgd_f" ? 1.99 : 1) * (1 - 1e-12));
      EXPECT_LE(stddev, flat * (method == "dpsgd_f" ? 100 : 1) * (1 + 1e-12));
    }
  }
}

/// The same over a run, for the fenced report only; the model is the one of a run without.
TEST(Explain, FollowsARun) {
  const Workspace workspace;
  const Words words =
      "--method dpsgd_global_adapt --groups sex --groups city --max-grad-norm 0.1 "
      "--noise-multiplier 1 --seed 5 --insecure-test-rng";
  const Words explain = "--explain-every 20 --explain-directions 10";
  const ToolResult told = ok(workspace.train(join(words, join(explain, "--out told"))));
  EXPECT_THAT(told.out, HasSubstr("Effect of a training step on the loss of groups, mean of 3"));
  EXPECT_THAT(told.out, HasSubstr("NOT PRIVATE are computed from records"));
  ok(workspace.train(join(words, "--out plain")));
  EXPECT_EQ(workspace.text("told/model.json"), workspace.text("plain/model.json"));
  const Json report = workspace.json("told/report.json");
  const Json& looks = report.at("explanations");
  ASSERT_EQ(looks.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(looks[i].at("step"), 20 * i);
    ASSERT_EQ(looks[i].at("groups").size(), 2U);
    for (const Json& group : looks[i].at("groups")) {
      EXPECT_NE(group.at("clip"), 0);
      EXPECT_NE(group.at("noise"), 0);
      EXPECT_NEAR(
          group.at("clip"),
          group.at("direction_first").get<double>() + group.at("magnitude_last").get<double>(),
          1e-12);
      EXPECT_TRUE(group.at("hessian_largest_eigenvalue").is_null());
    }
  }
  EXPECT_THAT(workspace.text("told/report.html"), HasAll("Why groups lose", "direction first"));
  // Nothing of it in what is published.
  for (const char* file :
       {"told/model.json", "told/model_card.html", "told/model_card.json", "told/model_card.md"})
    EXPECT_THAT(workspace.text(file), Not(HasSubstr("explanations"))) << file;
  EXPECT_TRUE(workspace.json("plain/report.json").at("explanations").empty());
}

TEST(Explain, SaysInWhatTheStepDiffers) {
  const Workspace workspace;
  const auto warning_of = [&](const Words& more) {
    const Words seeded = "--insecure-test-rng --seed 5 --groups sex --out model --force";
    const ToolResult told = ok(workspace.train(join(seeded, join(more, "--explain-every 40"))));
    for (const char* file : {"model/model_card.html", "model/model_card.json"})
      EXPECT_THAT(workspace.text(file), Not(HasSubstr("--explain-every explains"))) << file;
    const ToolResult audited = ok(workspace.run(audit_words("--groups sex --verbose")));
    return told.out + audited.err + audited.out;
  };
  EXPECT_THAT(
      warning_of("--method dpsgd --noise-multiplier 1 --optimizer adam"),
      HasAll("--explain-every explains a plain gradient step, but the model's optimizer is adam",
             "--explain explains a plain gradient step"));
  EXPECT_THAT(warning_of("--method fairlens"),
              HasAll("--explain-every explains gradients of the loss alone, but the steps "
                     "of fairlens also follow a penalty",
                     "--explain explains gradients of the loss alone"));
  EXPECT_THAT(warning_of("--method direction_error"),
              HasAll("--explain-every explains both errors of clipping, but a step of "
                     "direction_error has only one of them",
                     "--explain explains both errors"));
  EXPECT_THAT(warning_of("--method dpsgd --noise-multiplier 1"), Not(HasSubstr(" explains ")));
}

/// Of methods whose steps are not those of clipped gradients alone.
TEST(Explain, SaysWhatElseStepsFollow) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
  for (const auto& [method, told] :
       {std::pair{"dp_fermi", "the steps of dp_fermi also follow a penalty"},
        {"mgr_w", "those of mgr_w follow groups by their weights"}}) {
    const ToolResult result = ok(workspace.train(
        {"--method", method, "--noise-multiplier", "1", "--groups", "sex", "--explain-every", "40",
         "--insecure-test-rng", "--seed", "5", "--out", "model", "--force"}));
    EXPECT_THAT(result.out, HasSubstr(told));
  }
}

TEST(Explain, FollowingARunIsCheckedBeforeAnythingIsSpent) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::vector<Refusal> refusals = {
      {"--explain-every 4", 2, "name them with --groups"},
      {"--groups sex --explain-every -1", 2, "--explain-every: must be at least 1, got -1"},
      {"--groups sex --explain-every 0", 2, "--explain-every: must be at least 1, got 0"},
      {"--groups sex --explain-every 1000000", 2, "explain_every"},
      {"--groups sex --explain-every 4 --explain-directions 1", 2, "explain_directions"},
      {"--groups sex --explain-directions 5", 2, "--explain-every"}};
  expect_refusals(workspace, refusals, [](const Words& words) {
    return Workspace::train_words(join("--epsilon 1 --out model", words));
  });
}

/// Thresholds by sex say nothing of groups by city.
TEST(Explain, GroupThresholdsAreExplainedByTheirOwnGroups) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train("--epsilon 1 --method dpsgd_f --groups sex --out model --optimizer adam"));
  expect_error(workspace.run(audit_words("--groups sex --groups city")), 2,
               "--explain needs exactly --groups sex");
  const ToolResult own = ok(workspace.run(audit_words("--groups sex --verbose")));
  EXPECT_THAT(own.out + own.err, HasSubstr("the model's optimizer is adam"));
}

TEST(Explain, SaysWhatItLacks) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train("--epsilon 1 --out model"));
  expect_error(workspace.run(audit_words()), 2, "--explain compares groups");
  expect_error(workspace.run(audit_words("--groups sex --explain-directions 1")), 2);
  Json model = workspace.json("model/model.json");
  model.at("options").erase("learning_rate");
  workspace.write("old.json", model.dump());
  expect_error(workspace.run("audit --model old.json --data people.csv --explain --groups sex"), 3,
               "does not give the learning_rate");
}

}  // namespace
}  // namespace equinoise::testing::explain_test
