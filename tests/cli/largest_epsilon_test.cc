// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "tests/cli/people.h"

namespace equinoise::testing::largest_epsilon_test {
namespace {

/// The options that a refusal gives for the largest epsilon, "--epsilon 0.43"; "" without one.
std::string largest_in(const std::string& refusal) {
  std::smatch found;
  std::regex_search(refusal, found,
                    std::regex("the largest that still fits is (--epsilon \\S+( --method \\w+)?)"));
  return found.empty() ? "" : found[1].str();
}

class LargestEpsilon : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    workspace_.write("people.toml", people_schema_with_sizes(134, 266));
    workspace_.open_ledger("1.2");
    ok(workspace_.train("--method dpsgd --epsilon 1"));
  }

  Workspace workspace_;
};

TEST_P(LargestEpsilon, FitsAndNoLargerOneDoes) {
  const Words command =
      join(GetParam().c_str(),
           "--schema people.toml --data people.csv --ledger people.ledger --epsilon");
  const ToolResult refused = workspace_.run(join(command, "1"));
  ASSERT_EQ(refused.exit_code, 4) << refused;
  const std::string largest = largest_in(refused.err);
  ASSERT_NE(largest, "") << refused;
  const Words given(largest.c_str());
  Words slightly_more = given;
  slightly_more[1] = std::to_string(1.01 * std::stod(given[1]));
  const Words options(command.begin(), command.end() - 1);
  expect_refused(workspace_, join(options, slightly_more), 4, given[1]);
  ok(workspace_.run(join(options, given)));
  EXPECT_LE(workspace_.spent(), 1.2);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, LargestEpsilon,
    ::testing::Values("train --delta 1e-5 --steps 50",
                      "train --method dpsgd --delta 1e-5 --steps 50 --batch-size 64",
                      "means --columns age --by sex --delta 1e-5",
                      "synth --method mst --drop-incomplete --delta 1e-5 --out rows",
                      "schema sizes --groups city"));

TEST(LargestEpsilonOf, APlanIsInItsWarning) {
  const Workspace workspace;
  workspace.open_ledger("1");
  const Words plan = join(Workspace::plan_words(), "--method dpsgd --steps 50 --epsilon 2");
  const std::string largest = largest_in(ok(workspace.run(plan)).out);
  EXPECT_NE(largest, "");
  const Json account = json_of(workspace.run(join(plan, "--json"))).at("ledger_after");
  EXPECT_EQ(account.at("fits"), false);
  EXPECT_EQ(account.at("largest_epsilon").get<double>(), std::stod(Words(largest.c_str())[1]));
}

TEST(LargestEpsilonOf, ARunNamesItsEntry) {
  const Workspace workspace;
  workspace.open_ledger("1");
  const Words release =
      "means --schema people.toml --data people.csv --ledger people.ledger --columns age "
      "--delta 1e-5 --json --epsilon";
  for (const int64_t entry : {2, 3}) {  // the first one opened the account
    const Json account = json_of(workspace.run(join(release, "0.2"))).at("ledger");
    EXPECT_EQ(account.at("entry"), entry);
    EXPECT_FALSE(account.contains("fits"));
  }
}

TEST(LargestEpsilonOf, ABudgetOfNoiseIsNotThere) {
  const Workspace workspace;
  workspace.open_ledger("1");
  const ToolResult by_noise = workspace.train("--method dpsgd --noise-multiplier 0.6");
  EXPECT_EQ(by_noise.exit_code, 4) << by_noise;
  EXPECT_EQ(largest_in(by_noise.err), "");
}

}  // namespace
}  // namespace equinoise::testing::largest_epsilon_test
