// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::explain_test {
namespace {

using ::testing::HasSubstr;

Words audit_words(const Words& more = {}) {
  return join({"audit", "--model", "model", "--data", "people.csv", "--explain",
               "--explain-directions", "20"},
              more);
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
                    : method == "fairlens" ? Words{"--noise-multiplier", "1"}
                                           : Words{"--epsilon", "1"};
    if (is_constrained) privacy = join(privacy, {"--constraint", "demographic_parity:sex:0.05"});
    if (method != "sgd") privacy = join(privacy, {"--max-grad-norm", "0.1"});
    const ToolResult trained =
        workspace.train(join(privacy, {"--method", method, "--groups", "sex", "--model", "mlp",
                                       "--hidden", "4", "--out", "model"}));
    ASSERT_THAT(trained.exit_code, ::testing::AnyOf(0, is_constrained ? 5 : 0)) << trained;
    const Json report =
        json_of(workspace.run(audit_words({"--groups", "sex", "--json", "--out", "told"})));
    ASSERT_EQ(report.at("explanations").size(), 1U);
    const Json& explanation = report.at("explanations")[0];
    EXPECT_EQ(explanation.at("groups").size(), 2U);
    for (const Json& group : explanation.at("groups")) {
      const double clip = group.at("clip");
      EXPECT_NEAR(clip, group.at("magnitude").get<double>() + group.at("direction").get<double>(),
                  1e-12);
      EXPECT_NEAR(
          clip,
          group.at("direction_first").get<double>() + group.at("magnitude_last").get<double>(),
          1e-12);
      EXPECT_GT(group.at("gradient_norm"), 0);
      EXPECT_LE(group.at("hessian_smallest_eigenvalue"), group.at("hessian_largest_eigenvalue"));
      const double rate = explanation.at("learning_rate");
      const double stddev = explanation.at("noise_stddev");
      EXPECT_NEAR(group.at("noise"),
                  rate * rate / 2 * group.at("hessian_trace").get<double>() * stddev * stddev,
                  1e-12 * std::fabs(group.at("hessian_trace").get<double>()));
      if (is_plain) {
        EXPECT_EQ(clip, 0);
        EXPECT_EQ(group.at("noise"), 0);
      } else {
        EXPECT_NE(clip, 0);
        EXPECT_NE(group.at("noise"), 0);
      }
    }
    EXPECT_THAT(read_bytes(workspace.path("told/report.html")),
                HasSubstr("Effect of one training step on the loss"));
    const ToolResult text = workspace.run(audit_words({"--groups", "sex", "--verbose"}));
    EXPECT_THAT(text.out, HasSubstr("Effect of one training step on the loss of groups by sex"));
    EXPECT_THAT(text.err, HasSubstr("(2 of 2 groups)"));
    EXPECT_THAT(text.out, HasSubstr(is_plain ? "gradients not clipped"
                                             : "gradients clipped as in " + method));
    EXPECT_EQ((text.out + text.err).find("also follow a penalty") != std::string::npos,
              method == "fairlens");
    EXPECT_EQ((text.out + text.err).find("also follow constraints") != std::string::npos,
              is_constrained);
    // The noise of the largest clip of the step, on the mean.
    const Json settings =
        Json::parse(read_bytes(workspace.path("model/model.json"))).at("settings");
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
  const Words words = {"--method",
                       "dpsgd_global_adapt",
                       "--groups",
                       "sex",
                       "--groups",
                       "city",
                       "--max-grad-norm",
                       "0.1",
                       "--noise-multiplier",
                       "1",
                       "--seed",
                       "5",
                       "--insecure-test-rng"};
  const Words explain = {"--explain-every", "20", "--explain-directions", "10"};
  const ToolResult told = workspace.train(join(words, join(explain, {"--out", "told"})));
  ASSERT_EQ(told.exit_code, 0) << told;
  EXPECT_THAT(told.out, HasSubstr("Effect of a training step on the loss of groups, mean of 3"));
  EXPECT_THAT(told.out, HasSubstr("NOT PRIVATE are computed from records"));
  ASSERT_EQ(workspace.train(join(words, {"--out", "plain"})).exit_code, 0);
  EXPECT_EQ(read_bytes(workspace.path("told/model.json")),
            read_bytes(workspace.path("plain/model.json")));
  const Json report = Json::parse(read_bytes(workspace.path("told/report.json")));
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
  EXPECT_THAT(read_bytes(workspace.path("told/report.html")),
              AllOf(HasSubstr("Why groups lose"), HasSubstr("direction first")));
  // Nothing of it in what is published.
  for (const char* file : {"told/model.json", "told/model_card.json", "told/model_card.md"})
    EXPECT_THAT(read_bytes(workspace.path(file)), Not(HasSubstr("explanations"))) << file;
  EXPECT_TRUE(
      Json::parse(read_bytes(workspace.path("plain/report.json"))).at("explanations").empty());
}

TEST(Explain, SaysInWhatTheStepDiffers) {
  const Workspace workspace;
  const auto warning_of = [&](const Words& more) {
    const Words seeded = {
        "--insecure-test-rng", "--seed", "5", "--groups", "sex", "--out", "model", "--force"};
    const ToolResult told = workspace.train(join(seeded, join(more, {"--explain-every", "40"})));
    EXPECT_EQ(told.exit_code, 0) << told;
    const ToolResult audited = workspace.run(audit_words({"--groups", "sex", "--verbose"}));
    EXPECT_EQ(audited.exit_code, 0) << audited;
    return told.out + audited.err + audited.out;
  };
  EXPECT_THAT(
      warning_of({"--method", "dpsgd", "--noise-multiplier", "1", "--optimizer", "adam"}),
      AllOf(
          HasSubstr(
              "--explain-every explains a plain gradient step, but the model's optimizer is adam"),
          HasSubstr("--explain explains a plain gradient step")));
  EXPECT_THAT(warning_of({"--method", "fairlens"}),
              AllOf(HasSubstr("--explain-every explains gradients of the loss alone, but the steps "
                              "of fairlens also follow a penalty"),
                    HasSubstr("--explain explains gradients of the loss alone")));
  EXPECT_THAT(warning_of({"--method", "direction_error"}),
              AllOf(HasSubstr("--explain-every explains both errors of clipping, but a step of "
                              "direction_error has only one of them"),
                    HasSubstr("--explain explains both errors")));
  EXPECT_THAT(warning_of({"--method", "dpsgd", "--noise-multiplier", "1"}),
              Not(HasSubstr(" explains ")));
}

/// Of methods whose steps are not those of clipped gradients alone.
TEST(Explain, SaysWhatElseStepsFollow) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
  for (const auto& [method, told] :
       {std::pair{"dp_fermi", "the steps of dp_fermi also follow a penalty"},
        {"mgr_w", "those of mgr_w follow groups by their weights"}}) {
    const ToolResult result = workspace.train(
        {"--method", method, "--noise-multiplier", "1", "--groups", "sex", "--explain-every", "40",
         "--insecure-test-rng", "--seed", "5", "--out", "model", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_THAT(result.out, HasSubstr(told));
  }
}

TEST(Explain, FollowingARunIsCheckedBeforeAnythingIsSpent) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  const auto refused = [&](const Words& more) {
    const ToolResult result = workspace.train(join({"--epsilon", "1", "--out", "model"}, more));
    EXPECT_EQ(result.exit_code, 2) << result;
    return result.err;
  };
  EXPECT_THAT(refused({"--explain-every", "4"}), HasSubstr("name them with --groups"));
  EXPECT_THAT(refused({"--groups", "sex", "--explain-every", "-1"}),
              HasSubstr("--explain-every: must be at least 1, got -1"));
  EXPECT_THAT(refused({"--groups", "sex", "--explain-every", "0"}),
              HasSubstr("--explain-every: must be at least 1, got 0"));
  EXPECT_THAT(refused({"--groups", "sex", "--explain-every", "1000000"}),
              HasSubstr("explain_every"));
  EXPECT_THAT(refused({"--groups", "sex", "--explain-every", "4", "--explain-directions", "1"}),
              HasSubstr("explain_directions"));
  EXPECT_THAT(refused({"--groups", "sex", "--explain-directions", "5"}),
              HasSubstr("--explain-every"));
  nothing.check("refused");
}

/// Thresholds by sex say nothing of groups by city.
TEST(Explain, GroupThresholdsAreExplainedByTheirOwnGroups) {
  const Workspace workspace;
  workspace.open_ledger();
  ASSERT_EQ(workspace
                .train({"--epsilon", "1", "--method", "dpsgd_f", "--groups", "sex", "--out",
                        "model", "--optimizer", "adam"})
                .exit_code,
            0);
  const ToolResult other = workspace.run(audit_words({"--groups", "sex", "--groups", "city"}));
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_THAT(other.err, HasSubstr("--explain needs exactly --groups sex"));
  const ToolResult own = workspace.run(audit_words({"--groups", "sex", "--verbose"}));
  EXPECT_EQ(own.exit_code, 0) << own;
  EXPECT_THAT(own.out + own.err, HasSubstr("the model's optimizer is adam"));
}

TEST(Explain, SaysWhatItLacks) {
  const Workspace workspace;
  workspace.open_ledger();
  ASSERT_EQ(workspace.train({"--epsilon", "1", "--out", "model"}).exit_code, 0);
  const ToolResult no_groups = workspace.run(audit_words());
  EXPECT_EQ(no_groups.exit_code, 2) << no_groups;
  EXPECT_THAT(no_groups.err, HasSubstr("--explain compares groups"));
  const ToolResult few =
      workspace.run(audit_words({"--groups", "sex", "--explain-directions", "1"}));
  EXPECT_EQ(few.exit_code, 2) << few;
  Json model = Json::parse(read_bytes(workspace.path("model/model.json")));
  model.at("options").erase("learning_rate");
  workspace.write("old.json", model.dump());
  const ToolResult old = workspace.run(
      {"audit", "--model", "old.json", "--data", "people.csv", "--explain", "--groups", "sex"});
  EXPECT_EQ(old.exit_code, 3) << old;
  EXPECT_THAT(old.err, HasSubstr("does not give the learning_rate"));
}

}  // namespace
}  // namespace equinoise::testing::explain_test
