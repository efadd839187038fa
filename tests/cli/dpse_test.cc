#include "tests/cli/people.h"

namespace equinoise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Words of a command without a batch size, which full batches do not take.
Words without_batch_size(Words words) {
  const auto found = std::find(words.begin(), words.end(), "--batch-size");
  words.erase(found, found + 2);
  return words;
}

Words train_words(const Words& more) {
  return join(without_batch_size(Workspace::train_words()),
              join({"--method", "dpse", "--groups", "sex", "--epsilon", "1"}, more));
}

void declare_sizes(const Workspace& workspace) {
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
}

double epsilon_of(const Json& group) { return group.at("privacy").at("epsilon"); }

TEST(Dpse, TellsWhatWasChargedAndWhatWasRealised) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger();
  const ToolResult result =
      workspace.run(train_words({"--split", "error", "--out", "model", "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result;
  const Json report = json_of(result);
  double shares = 0;
  for (const Json& group : report.at("groups")) {
    EXPECT_NEAR(epsilon_of(group), 1, 1e-3);
    const Json& realised = group.at("realised_output_dependent");
    shares += realised.at("share").get<double>();
    EXPECT_LT(epsilon_of(realised), epsilon_of(group));
    EXPECT_GT(realised.at("rho"), 0);
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_NEAR(workspace.spent(), 1, 1e-3) << "what was reserved stays spent";
  const std::string card = read_bytes(workspace.path("model/model_card.md"));
  EXPECT_THAT(card, HasSubstr("output-dependent"));
  EXPECT_THAT(card, HasSubstr("is no promise"));
}

TEST(Dpse, PublicSplitsAreChargedToEachGroupAsTheyAre) {
  const Workspace workspace;
  declare_sizes(workspace);
  const auto plan = [&](const Words& more) {
    const ToolResult result = workspace.run(
        join(join(without_batch_size(Workspace::plan_words()),
                  {"--method", "dpse", "--groups", "sex", "--epsilon", "1", "--json"}),
             more));
    EXPECT_EQ(result.exit_code, 0) << result;
    return json_of(result);
  };
  const Json uniform = plan({});
  EXPECT_EQ(uniform.at("settings").at("batch_size"), 300);
  EXPECT_EQ(epsilon_of(uniform.at("groups")[0]), epsilon_of(uniform.at("groups")[1]));
  const Json inverse = plan({"--split", "inverse_size"});
  EXPECT_NEAR(epsilon_of(inverse.at("groups")[0]), 1, 1e-3);
  EXPECT_LT(epsilon_of(inverse.at("groups")[1]), 0.8);
  EXPECT_THAT(inverse.at("warnings").dump(),
              HasSubstr("the weakest privacy have members of Female (sex)"));
  // Losses cost half of the budget.
  const Json bounded = plan({"--group-loss-multiplier", "2"});
  EXPECT_NEAR(bounded.at("groups")[0].at("noise_stddev").get<double>(),
              std::sqrt(2.0) * uniform.at("groups")[0].at("noise_stddev").get<double>(), 0.05);
}

TEST(Dpse, ChoosesAMultiplierPrivately) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger();
  const Words choice = {"--group-loss-multiplier", "0,0.5,2", "--mean-runs", "4"};
  const ToolResult planned =
      workspace.run(join(join(without_batch_size(Workspace::plan_words()),
                              {"--method", "dpse", "--groups", "sex", "--epsilon", "1", "--json"}),
                         choice));
  ASSERT_EQ(planned.exit_code, 0) << planned;
  const Json plan = json_of(planned);
  EXPECT_THAT(plan.at("events").dump(), HasSubstr("repeat_and_select"));
  EXPECT_EQ(plan.at("settings").at("mean_runs"), 4);
  const ToolResult strict = workspace.run(
      join(with_option(join(without_batch_size(Workspace::plan_words()),
                            {"--method", "dpse", "--groups", "sex", "--epsilon", "8"}),
                       "--delta", "1e-12"),
           choice));
  EXPECT_EQ(strict.exit_code, 0) << strict;
  EXPECT_THAT(plan.at("warnings").dump(), HasSubstr("nobody learns how many"));
  const ToolResult result = workspace.run(train_words(join({"--out", "model", "--json"}, choice)));
  ASSERT_EQ(result.exit_code, 0) << result;
  const Json report = json_of(result);
  EXPECT_NEAR(workspace.spent(), 1, 1e-3);
  const double chosen = report.at("settings").at("chosen_group_loss_multiplier");
  EXPECT_TRUE(chosen == 0 || chosen == 0.5 || chosen == 2) << chosen;
  EXPECT_TRUE(report.at("curve").empty());
  // How many runs there were, and so how long they took, is told nobody.
  EXPECT_TRUE(report.at("seconds").is_null());
  EXPECT_THAT(result.err, Not(HasSubstr("steps")));
  EXPECT_THAT(read_bytes(workspace.path("model/model_card.md")),
              HasSubstr("chosen_group_loss_multiplier"));
  const ToolResult kept =
      workspace.run(train_words(join({"--out", "other", "--checkpoint", "run.state"}, choice)));
  EXPECT_EQ(kept.exit_code, 2) << kept;
  EXPECT_THAT(kept.err, HasSubstr("a choice among runs cannot be taken up again"));
  EXPECT_NEAR(workspace.spent(), 1, 1e-3);
}

TEST(Dpse, AnInterruptedRunGoesOnForFree) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger();
  const Words words = with_option(train_words({"--split", "error", "--checkpoint-every", "100",
                                               "--out", "model", "--checkpoint", "run.state"}),
                                  "--steps", "20000");
  ToolProcess process(words, workspace.here());
  ASSERT_TRUE(workspace.wait_for_file("run.state"));
  process.send(SIGINT);
  ASSERT_EQ(process.finish().exit_code, 1);
  const double paid = workspace.spent();
  const ToolResult resumed = workspace.run(join(words, {"--resume", "--json"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(workspace.spent(), paid);
  EXPECT_TRUE(json_of(resumed).at("groups")[0].contains("realised_output_dependent"));
}

TEST(Dpse, OptionsThatCannotBeHonouredAreUsageErrors) {
  const Workspace workspace;
  workspace.open_ledger();
  {
    const NothingChanges nothing(workspace);
    const ToolResult undeclared = workspace.run(train_words({"--out", "model"}));
    EXPECT_EQ(undeclared.exit_code, 2) << undeclared;
    EXPECT_THAT(undeclared.err, HasSubstr("the public size of group Female is not declared"));
    nothing.check("undeclared sizes");
  }
  declare_sizes(workspace);
  const NothingChanges nothing(workspace);
  for (const auto& [more, named] :
       {std::pair{Words{"--max-share", "0.4"}, "no split can meet a max_share of 0.4"},
        {Words{"--max-share", "1.5"}, "max_share"},
        {Words{"--max-share", "Female=0.3", "--max-share", "Male=0.6"}, "less than 1"},
        {Words{"--max-share", "Female"}, "the form is NAME=NUMBER"},
        {Words{"--max-share", "Females=0.3"}, "did you mean"},
        {Words{"--batch-size", "64"}, "leave --batch-size out"},
        {Words{"--model", "softmax"}, "dpse trains linear and logistic models, got softmax"},
        {Words{"--model", "mlp"}, "got mlp"},
        {Words{"--split", "eror"}, "split must be one of"},
        {Words{"--group-objective", "sum"}, "group_objective must be population, mean or a number"},
        {Words{"--stage1-fraction", "1"}, "stage1_fraction"},
        {Words{"--group-loss-multiplier", "-1"}, "group_loss_multiplier"},
        {Words{"--box", "0"}, "box"},
        {Words{"--noise-multiplier", "2"}, "give either --epsilon or --noise-multiplier"},
        {Words{"--group-weight", "Male=2"}, "belong to group_weighted"},
        {Words{"--explain-every", "10"}, "--explain-every"}}) {
    const ToolResult result = workspace.run(train_words(join({"--out", "model"}, more)));
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, HasSubstr(named));
    nothing.check(named);
  }
  const ToolResult other = workspace.train(
      {"--method", "dpsgd", "--split", "error", "--epsilon", "1", "--out", "model"});
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_THAT(other.err, HasSubstr("belong to dpse alone"));
  nothing.check("dpsgd");
}

}  // namespace
}  // namespace equinoise::testing
