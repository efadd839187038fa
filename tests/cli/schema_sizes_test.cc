// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::schema_sizes_test {
namespace {

Words sizes_words(const Words& more = {}) {
  return join(
      "schema sizes --schema people.toml --groups sex,city --epsilon 0.5 --ledger people.ledger",
      more);
}

const Words kData = "--data people.csv";

TEST(SchemaSizes, ArePaidForAndTrainMethodsThatNeedThem) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words train =
      "train --schema sized.toml --data people.csv --method balanced --groups sex,city --epsilon 1 "
      "--delta 1e-5 --ledger people.ledger --steps 5 --quiet";
  expect_error(workspace.run(with_option(train, "--schema", "people.toml")), 2,
               "equinoise schema sizes");
  const Json json =
      json_of(ok(workspace.run(sizes_words(join(kData, "--out sized.toml --json --quiet")))));
  EXPECT_EQ(json.at("status"), "private");
  EXPECT_LE(json.at("privacy").at("epsilon"), 0.5);
  EXPECT_EQ(json.at("groups").size(), 6U);
  EXPECT_EQ(json.at("groups")[0].at("group"), Json({{"sex", "Female"}, {"city", "north"}}));
  const Json ledger = workspace.ledger();
  ASSERT_EQ(ledger.at("entries").size(), 1U);
  EXPECT_EQ(ledger.at("entries")[0].at("events")[0].at("type"), "discrete_laplace");
  ok(workspace.run(train));
  EXPECT_EQ(workspace.ledger().at("entries").size(), 2U);
}

TEST(SchemaSizes, APlanSpendsAndWritesNothing) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  const ToolResult result = ok(workspace.run(sizes_words("--dry-run --out sized.toml")));
  EXPECT_THAT(result.out, HasAll("standard deviation 2.8", "0.5 after"));
  nothing.check("--dry-run");
}

TEST(SchemaSizes, RefusalsSpendAndWriteNothing) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("domain.json", "{\"sex\": 2, \"city\": 3}");
  workspace.write("inline.toml", replaced(people_schema(), "num_records = 400\n",
                                          "num_records = 400\ngroups = [{group = {sex = "
                                          "\"Female\"}, num_records = 134}]\n"));
  workspace.write("unreviewed.toml",
                  replaced(people_schema(), "reviewed = true", "reviewed = false"));
  const Words words = sizes_words(join(kData, "--out sized.toml"));
  expect_refused(workspace, with_option(words, "--epsilon", "5"), 4, "budget");
  expect_refused(workspace, with_option(words, "--epsilon", "0"), 2, "epsilon must lie between");
  expect_refused(workspace, with_option(words, "--groups", "sexx"), 2, "did you mean 'sex'");
  expect_refused(workspace, with_option(words, "--out", "people.toml"), 2, "exists");
  expect_refused(workspace, with_option(words, "--schema", "inline.toml"), 2, "as such entries");
  expect_refused(workspace, with_option(words, "--schema", "unreviewed.toml"), 2, "not reviewed");
  expect_refused(workspace, with_option(words, "--schema", "domain.json"), 2, "schema in TOML");
  expect_refused(workspace, with_option(words, "--out", "sized.json"), 2, "in TOML");
  expect_refused(workspace, join(with_option(words, "--out", "people.csv"), "--force"), 2,
                 "is read by");
  expect_refused(workspace, join(with_option(words, "--out", "people.ledger"), "--force"), 2,
                 "is a ledger");
  expect_refused(workspace, join(words, "--insecure-test-rng --seed 1"), 2, "known seed");
  expect_refused(workspace, sizes_words(), 2, "--data is required");
  expect_refused(workspace, with_option(words, "--data", "none.csv"), 3, "none.csv");
}

TEST(SchemaSizes, AKnownSeedIsSaid) {
  const Workspace workspace;
  const ToolResult result =
      ok(workspace.run(sizes_words(join(kData, "--insecure-test-rng --seed 1"))));
  EXPECT_THAT(result.out, HasAll("NONE", "NOT PRIVATE, for tests alone:"));
}

TEST(SchemaSizes, LeaveCommentsOutAndTakePathsWithBlanks) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("my people.toml", people_schema() + "# a draft of 400 records\n");
  workspace.write("my people.csv", people_csv());
  ok(workspace.run(with_option(sizes_words({"--data", "my people.csv", "--out", "my sizes.toml"}),
                               "--schema", "my people.toml")));
  const std::string written = workspace.text("my sizes.toml");
  EXPECT_THAT(written, AllOf(HasSubstr("[[public.groups]]"), HasSubstr("by entry"),
                             Not(HasSubstr("a draft"))));
}

}  // namespace
}  // namespace equinoise::testing::schema_sizes_test
