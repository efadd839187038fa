// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::compare_command_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Enough people that both sexes count.
constexpr int kManyPeople = 1200;

Words compare_words(const Words& more) {
  return join(
      {"compare", "--schema", "people.toml", "--data", "people.csv", "--groups", "sex", "--methods",
       "dpsgd,dpsgd_global,sgd", "--epsilon", "1,3", "--seeds", "2", "--steps", "40"},
      more);
}

TEST(CompareCommand, ComparesResumesAndSpendsNothing) {
  const Workspace workspace(kManyPeople);
  const ToolResult first = workspace.run(compare_words(
      {"--runs", "runs.jsonl", "--out", "compared", "--grid", "max-grad-norm=0.5,1"}));
  ASSERT_EQ(first.exit_code, 0) << first;
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("dpsgd max_grad_norm=0.5"), HasSubstr("reference, not private"),
                    HasSubstr("All methods (NOT PRIVATE)"), HasSubstr("no method is recommended")));
  EXPECT_TRUE(workspace.has("compared/compare.json"));
  EXPECT_TRUE(workspace.has("compared/compare.csv"));
  EXPECT_FALSE(workspace.has("equinoise.ledger"));
  const ToolResult again = workspace.run(compare_words(
      {"--runs", "runs.jsonl", "--json", "--grid", "max-grad-norm=0.5,1", "--public-data"}));
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_THAT(again.err, HasSubstr("18 of them are kept in runs.jsonl"));
  Json json = json_of(again);
  Json kept = Json::parse(read_bytes(workspace.path("compared/compare.json")));
  ASSERT_EQ(json.at("rows").size(), 9U);
  EXPECT_EQ(json.at("rows"), kept.at("rows"));
  EXPECT_TRUE(kept.at("recommendations").empty());
  EXPECT_EQ(json.at("recommendations").size(), 2U);
}

TEST(CompareCommand, ComparesByAuc) {
  const Workspace workspace(kManyPeople);
  const Words words = compare_words({"--metric", "auc", "--out", "compared"});
  const ToolResult result = workspace.run(words);
  ASSERT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("Error: 1 less the AUC of label on held-out records"));
  const Json json = Json::parse(read_bytes(workspace.path("compared/compare.json")));
  EXPECT_EQ(json.at("constant"), 0.5);
  for (const Json& row : json.at("rows")) EXPECT_LT(row.at("overall"), 0.5) << row;

  workspace.write("people.toml",
                  replaced(people_schema(kManyPeople), "target = \"label\"", "target = \"age\""));
  const ToolResult numeric = workspace.run(compare_words({"--metric", "auc"}));
  EXPECT_EQ(numeric.exit_code, 2) << numeric;
  EXPECT_THAT(numeric.err,
              HasSubstr("--metric auc is of targets with two classes; age is a number"));
}

TEST(CompareCommand, RowsHaveWhatTheirPlansWarnOf) {
  const Workspace workspace(kManyPeople);
  const ToolResult result =
      workspace.run(compare_words({"--delta", "0.001", "--out", "compared", "--quiet"}));
  ASSERT_EQ(result.exit_code, 0) << result;
  const Json json = Json::parse(read_bytes(workspace.path("compared/compare.json")));
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
  const NothingChanges nothing(workspace);
  const auto refusal = [&](const Words& more) {
    const ToolResult result = workspace.run(compare_words(more));
    EXPECT_EQ(result.exit_code, 2) << result;
    return result.err;
  };
  EXPECT_THAT(refusal({"--grid", "max_grad_nrm=1,2"}), HasSubstr("did you mean max_grad_norm?"));
  EXPECT_THAT(refusal({"--grid", "momentum"}), HasSubstr("--grid takes OPTION=VALUE"));
  EXPECT_THAT(refusal({"--rounds", "3"}), HasSubstr("rounds has no effect on the methods"));
  EXPECT_THAT(refusal({"--seeds", "0"}), HasSubstr("--seeds"));
  EXPECT_THAT(refusal({"--methods", "all"}), HasSubstr("all stands alone"));
  const ToolResult unknown = workspace.run({"compare", "--schema", "people.toml", "--data",
                                            "people.csv", "--methods", "dpsdg", "--epsilon", "1"});
  EXPECT_EQ(unknown.exit_code, 2) << unknown;
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"dpsgd\"?"));
}

TEST(CompareCommand, NeedsASchemaAndATableOfItsOwn) {
  const Workspace workspace(kManyPeople);
  const ToolResult alone = workspace.run({"compare", "--epsilon", "1"});
  EXPECT_EQ(alone.exit_code, 2) << alone;
  EXPECT_THAT(alone.err, HasSubstr("--schema"));
  const ToolResult no_data = workspace.run({"compare", "--schema", "people.toml"});
  EXPECT_EQ(no_data.exit_code, 2) << no_data;
  EXPECT_THAT(no_data.err, HasSubstr("--data"));
}

/// They would be dropped without a word.
TEST(CompareCommand, RefusesOptionsBeforeTheCommandBelow) {
  const Workspace workspace(kManyPeople);
  const NothingChanges nothing(workspace);
  for (const Words& words :
       {Words{"compare", "--seeds", "9", "means", "--schema", "people.toml"},
        Words{"plan", "--epsilon", "1", "means", "--schema", "people.toml"},
        Words{"synth", "--epsilon", "1", "evaluate", "--schema", "people.toml"}}) {
    const ToolResult result = workspace.run(words);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.err, AllOf(HasSubstr(words[1]), HasSubstr("does nothing for")));
  }
  const ToolResult common = workspace.run(
      {"plan", "--quiet", "means", "--schema", "people.toml", "--columns", "age", "--rho", "0.1"});
  EXPECT_EQ(common.exit_code, 0) << common;
}

TEST(CompareCommand, ComparesMeansAndSpendsNothing) {
  const Workspace workspace(kManyPeople);
  const NothingChanges nothing(workspace);
  const Words words = {
      "compare", "means", "--schema",       "people.toml", "--data",         "people.csv",
      "--by",    "sex",   "--columns",      "age",         "--epsilon",      "0.5",
      "--seeds", "3",     "--stratum-size", "Female=400",  "--stratum-size", "Male=800"};
  const ToolResult text = workspace.run(words);
  ASSERT_EQ(text.exit_code, 0) << text;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("bounded"), HasSubstr("coinpress"),
                    HasSubstr("The middle of the bounds"), HasSubstr("no method is recommended")));
  const Json json = json_of(workspace.run(join(words, {"--json", "--public-data"})));
  EXPECT_EQ(json.at("task"), "means");
  EXPECT_TRUE(json.at("target").is_null());
  EXPECT_EQ(json.at("recommendations").size(), 1U);
  EXPECT_EQ(json.at("rows")[0].at("groups").size(), 2U);
  const ToolResult typo = workspace.run(join(words, {"--methods", "boundd"}));
  EXPECT_EQ(typo.exit_code, 2) << typo;
  EXPECT_THAT(typo.err, HasSubstr("did you mean \"bounded\"?"));
}

TEST(CompareCommand, ComparesSyntheticRowsAndSpendsNothing) {
  const Workspace workspace(kManyPeople);
  const NothingChanges nothing(workspace);
  const Words words = {
      "compare", "synth", "--drop-incomplete", "--schema",  "people.toml", "--data", "people.csv",
      "--by",    "sex",   "--methods",         "mst,swift", "--epsilon",   "2",      "--seeds",
      "2"};
  const ToolResult text = workspace.run(words);
  ASSERT_EQ(text.exit_code, 0) << text;
  EXPECT_THAT(text.out, AllOf(HasSubstr("mst"), HasSubstr("swift"), HasSubstr("6 marginals of 2"),
                              HasSubstr("no method is recommended")));
  const Json json = json_of(workspace.run(join(words, {"--json", "--error-degree", "1"})));
  EXPECT_EQ(json.at("task"), "synth");
  EXPECT_LT(json.at("rows")[0].at("overall"), json.at("constant"));
  const ToolResult other = workspace.run(join(words, {"--rounds", "3"}));
  EXPECT_EQ(other.exit_code, 2) << other;
}

}  // namespace
}  // namespace equinoise::testing::compare_command_test
