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
                    HasSubstr("This table is NOT PRIVATE"), HasSubstr("no method is recommended")));
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

}  // namespace
}  // namespace equinoise::testing::compare_command_test
