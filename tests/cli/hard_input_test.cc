// SPDX-License-Identifier: Apache-2.0
// Tables and schemas that are odd but no errors, through the commands that read them.

#include "tests/cli/people.h"

namespace equinoise::testing::hard_input_test {
namespace {

TEST(HardInput, ATargetOfOneClassAndAGroupWithoutRowsAreNoErrors) {
  const Workspace workspace;
  workspace.open_ledger();
  std::string csv = "age,city,sex,note,label\n";
  for (int i = 0; i < kNumPeople; ++i) csv += "40,south,Male,,no\n";
  workspace.write("people.csv", csv);
  const Json json =
      json_of(ok(workspace.train("--epsilon 1 --groups sex,city --reference --out model --json")));
  EXPECT_EQ(json.at("groups").size(), 6U);
  EXPECT_EQ(json.at("groups")[0].at("num_records"), 0);
  EXPECT_TRUE(json.at("groups")[0].at("accuracy").is_null());
  ok(workspace.run("audit --model model --data people.csv --held-out --groups sex,city"));
}

TEST(HardInput, SmallGroupsFollowThePolicy) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write(
      "people.toml",
      people_schema() + band_section("life", "age", "[30, 60]") +
          group_sizes("life", {{"below 30", 70}, {"30 to below 60", 163}, {"60 and above", 60}}));
  const auto plan = [&](const Words& more) {
    return workspace.run(join(Workspace::plan_words(), join("--epsilon 1 --json", more)));
  };
  EXPECT_EQ(json_of(plan("--groups life")).at("groups").size(), 3U);
  const Json merged = json_of(plan("--groups life --min-group-size 100 --small-groups merge"));
  ASSERT_EQ(merged.at("groups").size(), 2U);
  EXPECT_EQ(merged.at("groups")[1].at("group").at("life"), "(small groups)");
  EXPECT_EQ(merged.at("groups")[1].at("public_size"), 130);
  expect_error(plan("--groups life --min-group-size 100 --small-groups refuse"), 2,
               {"below 30", "60 and above"});
  expect_error(plan("--groups sex --min-group-size 100 --small-groups merge"), 2);
  EXPECT_EQ(plan("--groups life --min-group-size 100").exit_code, 2);
  EXPECT_THAT(plan("--groups age").err, HasSubstr("[groups."));
}

TEST(HardInput, ADomainOfPrivatePgmIsASchema) {
  const Workspace workspace;
  std::string csv = "age,sex,label\n";
  for (int i = 0; i < 200; ++i) {
    csv += std::to_string(i % 7) + "," + std::to_string(i % 2) + "," + std::to_string(i % 7 / 4) +
           "\n";
  }
  workspace.write("codes.csv", csv);
  workspace.write("codes-domain.json", "{\"age\": 7, \"sex\": 2, \"label\": 2}");
  ok(workspace.run("ledger init --ledger l --dataset codes --epsilon 3 --delta 1e-5"));
  const Words train =
      "train --schema codes-domain.json --data codes.csv --target label --epsilon 1 --delta 1e-5 "
      "--batch-size 50 --steps 50 --ledger l --out model --groups sex";
  expect_error(workspace.run(train), 2, "--num-records");
  ok(workspace.run(join(train, "--num-records 200")));
  // What was saved is a whole schema: the model needs no domain file any more.
  ok(workspace.run("predict --model model --data codes.csv --out predictions.csv"));
}

}  // namespace
}  // namespace equinoise::testing::hard_input_test
