// SPDX-License-Identifier: Apache-2.0

#include <set>

#include "tests/cli/run_tool.h"
#include "tests/matchers.h"
#include "tests/reproduction/constrained_tables.h"
#include "tests/reproduction/dutch_table.h"

namespace equinoise::testing::reproduce_test {
namespace {

TEST(ReproduceCommand, ListsItsItems) {
  for (const Words& words : {Words{"reproduce"}, Words("reproduce --list")}) {
    const ToolResult result = ok(run_tool(words));
    EXPECT_THAT(result.out, HasSubstr("001/table4"));
  }
  const Json json = json_of(run_tool("reproduce --list --json"));
  for (const Json& row : json.at("rows")) expect_keys(row, {"name", "data", "summary"});
}

TEST(ReproduceCommand, ProposesTheNearestItem) {
  expect_error(run_tool({"reproduce", "001/tabel5"}), 2, "did you mean \"001/table5\"?");
}

TEST(ReproduceCommand, AMissingFileSkipsRowsAndIsNoFailure) {
  const TempFolder folder;
  const Json json = json_of(
      ok(run_tool({"reproduce", "001/table4", "--data-dir", folder.path().string(), "--json"})));
  expect_keys(json, {"paper", "item", "rows", "tests"});
  EXPECT_EQ(json.at("paper"), "001");
  EXPECT_EQ(json.at("item"), "table4");
  EXPECT_GE(json.at("rows").size(), 40U);
  for (const Json& row : json.at("rows")) {
    expect_keys(row, {"name", "published", "ours", "se", "seeds", "verdict", "reason"});
    EXPECT_EQ(row.at("verdict"), "skipped");
    EXPECT_TRUE(row.at("ours").is_null());
    EXPECT_THAT(row.at("reason").get<std::string>(), HasSubstr("adult_train.csv.gz"));
  }
}

TEST(ReproduceCommand, AQuickLookRunsAndSaysThatItIsNotPrivate) {
  const TempFolder folder;
  write_dutch_table(folder, 1300);
  const ToolResult result = ok(run_tool({"reproduce", "001/table5", "--data-dir",
                                         folder.path().string(), "--seeds", "1", "--epochs", "1"}));
  EXPECT_THAT(result.out, HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(result.out, HasSubstr("dpsgd_global"));
  EXPECT_THAT(result.err, HasSubstr("dpsgd, seed 0: accuracy"));
}

/// As in every other list of names, quotes keep a comma in a name.
TEST(ReproduceCommand, ChoosesMethodsWhoseNamesHaveCommas) {
  const TempFolder folder;
  write_credit_table(folder, 1300);
  const Words words = {"reproduce", "004/figure4_credit", "--quick", "--data-dir",
                       folder.path().string()};
  const Json json = json_of(run_tool(
      join(words, {"--methods", "\"raco_dp, epsilon 3, faster multipliers\",sgda", "--json"})));
  std::set<std::string> ran;
  for (const Json& row : json.at("rows"))
    if (row.at("verdict") != "skipped") ran.insert(row.at("method"));
  EXPECT_EQ(ran, (std::set<std::string>{"raco_dp, epsilon 3, faster multipliers", "sgda"}));
  expect_error(run_tool(join(words, {"--methods", "raco_dp, epsilon 3"})), 2,
               "no method raco_dp; choose among sgda, \"raco_dp, epsilon 1\"");
}

/// Items whose records are drawn run anywhere; a broken file is the failure of its items alone.
TEST(ReproduceCommand, AllItemsRunInTheirShortForm) {
  const TempFolder folder;
  folder.write_file("dutch_census_2001.csv.gz", "sex\n1\n");
  const Words words = {"reproduce", "--all", "--quick", "--data-dir", folder.path().string()};
  const ToolResult result = run_tool(join(words, "--json"));
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("items failed"));
  const Json json = Json::parse(result.out);
  std::map<std::string, Json> items;
  for (const Json& row : json.at("rows")) items[row.at("name")] = row;
  EXPECT_EQ(items.size(), json_of(run_tool("reproduce --json")).at("rows").size());
  EXPECT_EQ(items.at("001/table5").at("outcome"), "failed");
  EXPECT_EQ(items.at("001/table4").at("outcome"), "skipped");
  EXPECT_EQ(items.at("003/rates").at("outcome"), "ran");
  EXPECT_EQ(
      json.at("ran").get<int>() + json.at("failed").get<int>() + json.at("skipped").get<int>(),
      static_cast<int>(items.size()));

  ToolProcess process(words);
  ASSERT_TRUE(process.wait_for("000/figure2 skipped"));
  process.send(SIGINT);
  const ToolResult interrupted = process.finish();
  EXPECT_EQ(interrupted.exit_code, 1) << interrupted;
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted: nothing was written"));
  EXPECT_EQ(interrupted.out, "");
}

TEST(ReproduceCommand, RefusesWhatMakesNoSense) {
  EXPECT_EQ(run_tool("reproduce 001/table5 --seeds 0").exit_code, 2);
  EXPECT_EQ(run_tool("reproduce 001/table5 --epochs -1").exit_code, 2);
  EXPECT_EQ(run_tool("reproduce --quick").exit_code, 2);
  EXPECT_EQ(run_tool("reproduce --all").exit_code, 2);
  EXPECT_EQ(run_tool("reproduce --all --quick 001/table5").exit_code, 2);
  EXPECT_EQ(run_tool("reproduce 001/table5 --quick --seeds 2").exit_code, 2);
  // Every item would be skipped.
  const TempFolder folder;
  const std::string nowhere = folder.path() / "nowhere";
  expect_error(run_tool({"reproduce", "001/table5", "--data-dir", nowhere}), 3,
               "--data-dir " + nowhere + " is not a folder");
}

}  // namespace
}  // namespace equinoise::testing::reproduce_test
