// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/cli/people.h"

namespace equinoise::testing::decoupled_test {
namespace {

const Words kDecoupled = "--method decoupled --groups sex --epsilon 3";

/// A schema that declares the groups' sizes, sex being no feature, and a ledger.
void declare_sizes(const Workspace& workspace) {
  const std::string schema =
      replaced(people_schema_with_sizes(134, 266), "values = [\"Female\", \"Male\"]\n",
               "values = [\"Female\", \"Male\"]\nfeature = false\n");
  workspace.write("people.toml", schema);
  workspace.open_ledger("9");
}

TEST(Decoupled, HasAModelForEachGroupAndPredictsByIt) {
  const Workspace workspace;
  declare_sizes(workspace);
  const Json report =
      json_of(ok(workspace.train(join(kDecoupled, "--reference --out model --json"))));
  EXPECT_EQ(report.at("groups")[0].at("privacy"), report.at("groups")[1].at("privacy"));
  const Json model = workspace.json("model/model.json");
  EXPECT_EQ(model.at("model_per_group"), true);
  EXPECT_EQ(model.at("parameters").size(), 10U);
  EXPECT_EQ(model.at("parameters")[0].at("name"), "Female: age");
  EXPECT_EQ(model.at("parameters")[9].at("name"), "Male: bias");

  // Audited again, the figures are those of the training's report.
  const ToolResult audited =
      ok(workspace.run("audit --model model --data people.csv --groups sex --held-out --json"));
  EXPECT_EQ(json_of(audited).at("overall").at("accuracy"), report.at("overall").at("accuracy"));
  ok(workspace.run("audit --model model --data people.csv --groups sex --explain --json"));
  expect_error(workspace.run("audit --model model --data people.csv --groups city --explain"), 2);

  ok(workspace.run("predict --model model --data people.csv --out predicted.csv"));
  // The first two records of an age and a city that differ in sex have different probabilities.
  workspace.write("two.csv", "age,city,sex,note,label\n40,north,Female,,no\n40,north,Male,,no\n");
  ok(workspace.run("predict --model model --data two.csv --out two.out"));
  const std::string lines = workspace.text("two.out");
  const size_t first = lines.find("\n1,");
  const size_t second = lines.find("\n2,");
  EXPECT_NE(lines.substr(first + 3, second - first - 3), lines.substr(second + 3));
}

TEST(Decoupled, AModelWhoseGroupsAreDamagedIsRefused) {
  const Workspace workspace;
  declare_sizes(workspace);
  ok(workspace.train(join(kDecoupled, "--out model")));
  const std::string text = workspace.text("model/model.json");
  for (const auto& [good, bad] :
       {std::pair{"\"model_per_group\": true", "\"model_per_group\": 1"},
        {"\"model_per_group\": true", "\"model_per_group\": false"},
        {"\"method_groups\": [\n    \"sex\"\n  ]", "\"method_groups\": [\"sexy\"]"}}) {
    workspace.write("bad.json", replaced(text, good, bad));
    expect_error(workspace.run("predict --model bad.json --data people.csv --out predicted.csv"),
                 3);
  }
}

}  // namespace
}  // namespace equinoise::testing::decoupled_test
