// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::group_weights_test {
namespace {

double epsilon_of(const Json& report, size_t group) {
  return report.at("groups").at(group).at("privacy").at("epsilon");
}

TEST(GroupWeights, EachGroupHasAGuaranteeOfItsOwn) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words words =
      "--method group_weighted --groups sex --groups city --epsilon 1 --group-weight Female=2 "
      "--group-epsilon Male=0.25 --out model --json";
  const Json report = json_of(ok(workspace.train(words)));
  EXPECT_NEAR(epsilon_of(report, 0), 1, 1e-3);
  EXPECT_NEAR(epsilon_of(report, 1), 0.25, 1e-3);
  EXPECT_LE(epsilon_of(report, 1), 0.25);
  // Who lives where does not pay apart.
  EXPECT_EQ(epsilon_of(report, 2), report.at("privacy").at("epsilon"));
  EXPECT_EQ(report.at("settings").at("group_weight Female"), 2);
  EXPECT_LT(report.at("settings").at("group_clip Male"), report.at("settings").at("max_grad_norm"));
  const std::string card = workspace.text("model/model_card.md");
  EXPECT_THAT(card, HasSubstr("the weakest is that of members of Female (sex), epsilon 1;"));
  EXPECT_THAT(card, HasSubstr("Members of different groups have different guarantees"));
}

/// Whoever is in two groups pays for both, and a group has the guarantee of those of its members
/// who pay most.
TEST(GroupWeights, OverlappingGroupsAddUp) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words groups = "--method group_weighted --groups sex --groups city --overlapping --json";
  const auto plan = [&](const Words& more) {
    const ToolResult result = ok(workspace.run(join(Workspace::plan_words(), join(groups, more))));
    return json_of(result);
  };
  const Json report = plan("--epsilon 1 --group-weight Female=3 --group-weight north=2");
  // Six intersections, two sexes, three cities; a weight is the mean of sex's and city's.
  ASSERT_EQ(report.at("groups").size(), 11U);
  EXPECT_EQ(report.at("settings").at("group_weight Female,north"), 2.5);
  EXPECT_EQ(report.at("settings").at("group_weight Female,east"), 2);
  EXPECT_EQ(report.at("settings").at("group_weight Male,north"), 1.5);
  EXPECT_EQ(report.at("settings").at("group_weight Male,east"), 1);
  EXPECT_NEAR(epsilon_of(report, 0), 1, 1e-3) << "women in the north";
  EXPECT_LT(epsilon_of(report, 1), 0.9) << "women in the south";
  EXPECT_LT(epsilon_of(report, 4), 0.5) << "men in the south";
  EXPECT_EQ(epsilon_of(report, 6), epsilon_of(report, 0)) << "women";
  EXPECT_EQ(epsilon_of(report, 7), epsilon_of(report, 3)) << "men: those in the north";
  EXPECT_EQ(epsilon_of(report, 8), epsilon_of(report, 0)) << "north";
  EXPECT_EQ(epsilon_of(report, 9), epsilon_of(report, 1)) << "south: its women";
  // How much a group counts follows from the sizes of its intersections, which are not declared.
  EXPECT_FALSE(report.at("groups")[6].contains("noise_per_expected_member_in_clips"));

  const Json ceiling = plan("--epsilon 1 --group-epsilon north=0.3");
  for (const size_t i : {0, 3, 8}) EXPECT_LE(epsilon_of(ceiling, i), 0.3);
  EXPECT_GT(epsilon_of(ceiling, 6), 0.9) << "women, of whom some do not live there";

  const ToolResult trained =
      ok(workspace.train(join(groups, "--epsilon 1 --group-weight north=2 --out model")));
  EXPECT_NEAR(workspace.spent(), 1, 1e-3);
  const Json people = json_of(trained).at("groups");
  EXPECT_EQ(people.size(), 11U);

  for (const auto& [words, named] :
       {std::pair{Words("--method group_weighted --groups sex"), "needs several --groups"},
        {Words("--method dpsgd --groups sex --groups city"), "needs disjoint groups"},
        {Words("--method dpse_alg3 --groups sex --groups city"), "needs disjoint groups"},
        {Words("--method balanced --groups sex --groups city"), "needs disjoint groups"},
        {Words("--method group_weighted --groups sex --groups city --group-weight west=2"),
         "no such group"}}) {
    Words all = join(Workspace::plan_words(), join(words, "--epsilon 1 --overlapping"));
    if (words[1] == "dpse_alg3") {
      const auto batch = std::ranges::find(all, "--batch-size");
      all.erase(batch, batch + 2);
    }
    expect_error(workspace.run(all), 2, named);
  }
}

/// A cap in the ledger is charged what the group pays, not what the run costs.
TEST(GroupWeights, TheLedgerKnowsWhoPays) {
  const Workspace workspace;
  ok(
      workspace.run("ledger init --ledger people.ledger --dataset people --epsilon 5 --delta 1e-6 "
                    "--group-cap sex=Male:0.4 --fixed-groups"));
  const Words words = "--groups sex --epsilon 1 --out model";
  expect_error(workspace.train(join(words, "--method dpsgd")), 4);
  ok(workspace.train(join(words, "--method group_weighted --group-epsilon Male=0.3")));
}

/// Groups that are made another way are other people, whatever they are called: costs add up.
TEST(GroupWeights, AnotherDivisionOfTheSameNameAddsUp) {
  const Workspace workspace;
  workspace.open_ledger("9", "--fixed-groups");
  const std::string by_age = "[groups.band]\ncolumn = \"age\"\ncuts = [50]\n[columns.age]";
  const Words words = "--method group_weighted --groups band --epsilon 1";
  const auto train_with = [&](const std::string& cuts, const std::string& weight) {
    workspace.write("people.toml",
                    replaced(people_schema(), "[columns.age]", replaced(by_age, "[50]", cuts)));
    ok(workspace.train(join(words, {"--group-weight", weight})));
  };
  train_with("[50]", "50 and above=50");
  const double once = workspace.spent();
  train_with("[50]", "below 50=50");
  const double same_people = workspace.spent();
  EXPECT_LT(same_people, 1.2 * once) << "each group pays little in one of the runs";
  // "below 51" and "51 and above" have other names; the missing cells' rule leaves them.
  workspace.write("people.toml", replaced(replaced(people_schema(), "[columns.age]", by_age),
                                          "bounds = [17, 90]\n",
                                          "bounds = [17, 90]\nmissing = \"fill\"\nfill = 60\n"));
  ok(workspace.train(join(words, {"--group-weight", "50 and above=50"})));
  EXPECT_GT(workspace.spent(), 1.3 * once);
}

TEST(GroupWeights, AReferenceIsTrainedWithoutWeights) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(
      workspace.train("--method group_weighted --groups sex --epsilon 1 --group-weight Female=3 "
                      "--group-epsilon Male=0.5 --reference"));
}

/// Every group's charge goes on from the state that was kept.
TEST(GroupWeights, AnInterruptedRunGoesOnForFree) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
  workspace.open_ledger();
  const Words words = with_option(
      Workspace::train_words("--method balanced --groups sex --epsilon 1 --checkpoint-every 200 "
                             "--out model --checkpoint run.state"),
      "--steps", "60000");
  ToolProcess process(words, workspace.here());
  ASSERT_TRUE(workspace.wait_for_file("run.state"));
  process.send(SIGINT);
  ASSERT_EQ(process.finish().exit_code, 1);
  const double paid = workspace.spent();
  // Somebody who changes groups in the middle of a run would pay for parts of both.
  workspace.write("people.csv", replaced(people_csv(), "17,north,Female", "17,north,Male"));
  expect_error(workspace.run(join(words, "--resume")), 2, "every record stays in its place");
  workspace.write("people.csv", people_csv());
  const ToolResult resumed = ok(workspace.run(join(words, "--resume")));
  EXPECT_THAT(resumed.err, HasSubstr("resuming after step"));
  EXPECT_EQ(workspace.spent(), paid);
}

}  // namespace
}  // namespace equinoise::testing::group_weights_test
