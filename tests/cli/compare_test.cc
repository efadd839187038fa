// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::compare_command_test {
namespace {

/// Enough people that both sexes count.
constexpr int kManyPeople = 1200;

Words compare_words(const Words& more) {
  return join(
      "compare --schema people.toml --data people.csv --groups sex --methods "
      "dpsgd,dpsgd_global,sgd --epsilon 1,3 --seeds 2 --steps 40",
      more);
}

TEST(CompareCommand, ComparesResumesAndSpendsNothing) {
  const Workspace workspace(kManyPeople);
  const ToolResult first = ok(
      workspace.run(compare_words("--runs runs.jsonl --out compared --grid max-grad-norm=0.5,1")));
  EXPECT_THAT(first.out, HasAll("dpsgd max_grad_norm=0.5", "reference, not private",
                                "All methods (NOT PRIVATE)", "no method is recommended"));
  EXPECT_TRUE(workspace.has("compared/compare.json"));
  EXPECT_TRUE(workspace.has("compared/compare.csv"));
  EXPECT_FALSE(workspace.has("equinoise.ledger"));
  const ToolResult again = ok(workspace.run(
      compare_words("--runs runs.jsonl --json --grid max-grad-norm=0.5,1 --public-data")));
  EXPECT_THAT(again.err, HasSubstr("18 of them are kept in runs.jsonl"));
  Json json = json_of(again);
  Json kept = workspace.json("compared/compare.json");
  ASSERT_EQ(json.at("rows").size(), 9U);
  EXPECT_EQ(json.at("rows"), kept.at("rows"));
  EXPECT_TRUE(kept.at("recommendations").empty());
  EXPECT_EQ(json.at("recommendations").size(), 2U);
}

TEST(CompareCommand, ComparesByAuc) {
  const Workspace workspace(kManyPeople);
  const Words words = compare_words("--metric auc --out compared");
  const ToolResult result = ok(workspace.run(words));
  EXPECT_THAT(result.out, HasSubstr("Error: 1 less the AUC of label on held-out records"));
  const Json json = workspace.json("compared/compare.json");
  EXPECT_EQ(json.at("constant"), 0.5);
  for (const Json& row : json.at("rows")) EXPECT_LT(row.at("overall"), 0.5) << row;

  workspace.write("people.toml",
                  replaced(people_schema(kManyPeople), "target = \"label\"", "target = \"age\""));
  expect_error(workspace.run(compare_words("--metric auc")), 2,
               "--metric auc is of targets with two classes; age is a number");
}

TEST(CompareCommand, RowsHaveWhatTheirPlansWarnOf) {
  const Workspace workspace(kManyPeople);
  ok(workspace.run(compare_words("--delta 0.001 --out compared --quiet")));
  const Json json = workspace.json("compared/compare.json");
  for (const Json& row : json.at("rows")) {
    const std::string warnings = row.at("warnings").dump();
    if (row.at("epsilon").is_null()) {
      EXPECT_EQ(warnings, "[]") << "a reference has no delta";
    } else {
      EXPECT_THAT(warnings, HasSubstr("delta 0.001 is not below 1 / num_records"));
    }
  }
}

TEST(CompareCommand, RefusesWhatMakesNoSense) {
  const Workspace workspace(kManyPeople);
  const std::vector<Refusal> refusals = {
      {"--grid max_grad_nrm=1,2", 2, "did you mean max_grad_norm?"},
      {"--grid momentum", 2, "--grid takes OPTION=VALUE"},
      {"--rounds 3", 2, "rounds has no effect on the methods"},
      {"--seeds 0", 2, "--seeds"},
      {"--methods all", 2, "all stands alone"}};
  expect_refusals(workspace, refusals, compare_words);
  const Words plain = "compare --schema people.toml --data people.csv --epsilon 1";
  expect_refused(workspace, join(plain, "--methods dpsdg"), 2, "did you mean \"dpsgd\"?");
  expect_refused(workspace, "compare --epsilon 1", 2, "--schema");
  expect_refused(workspace, "compare --schema people.toml", 2, "--data");
}

/// They would be dropped without a word.
TEST(CompareCommand, RefusesOptionsBeforeTheCommandBelow) {
  const Workspace workspace(kManyPeople);
  for (const Words& words : {Words("compare --seeds 9 means --schema people.toml"),
                             Words("plan --epsilon 1 means --schema people.toml"),
                             Words("synth --epsilon 1 evaluate --schema people.toml")}) {
    expect_error(workspace.run(words), 2, {words[1], "does nothing for"});
  }
  ok(workspace.run("plan --quiet means --schema people.toml --columns age --rho 0.1"));
}

}  // namespace
}  // namespace equinoise::testing::compare_command_test
