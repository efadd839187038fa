// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/cli/people.h"

namespace equinoise::testing::decoupled_test {
namespace {

const Words kDecoupled = {"--method", "decoupled", "--groups", "sex", "--epsilon", "3"};

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
  const ToolResult trained =
      workspace.train(join(kDecoupled, {"--reference", "--out", "model", "--json"}));
  ASSERT_EQ(trained.exit_code, 0) << trained;
  const Json report = json_of(trained);
  EXPECT_EQ(report.at("groups")[0].at("privacy"), report.at("groups")[1].at("privacy"));
  const Json model = Json::parse(read_bytes(workspace.path("model/model.json")));
  EXPECT_EQ(model.at("model_per_group"), true);
  EXPECT_EQ(model.at("parameters").size(), 10U);
  EXPECT_EQ(model.at("parameters")[0].at("name"), "Female: age");
  EXPECT_EQ(model.at("parameters")[9].at("name"), "Male: bias");

  // Audited again, the figures are those of the training's report.
  const ToolResult audited = workspace.run({"audit", "--model", "model", "--data", "people.csv",
                                            "--groups", "sex", "--held-out", "--json"});
  ASSERT_EQ(audited.exit_code, 0) << audited;
  EXPECT_EQ(json_of(audited).at("overall").at("accuracy"), report.at("overall").at("accuracy"));
  const ToolResult explained = workspace.run({"audit", "--model", "model", "--data", "people.csv",
                                              "--groups", "sex", "--explain", "--json"});
  EXPECT_EQ(explained.exit_code, 0) << explained;
  const ToolResult by_city = workspace.run(
      {"audit", "--model", "model", "--data", "people.csv", "--groups", "city", "--explain"});
  EXPECT_EQ(by_city.exit_code, 2) << by_city;

  const ToolResult predicted = workspace.run(
      {"predict", "--model", "model", "--data", "people.csv", "--out", "predicted.csv"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted;
  // The first two records of an age and a city that differ in sex have different probabilities.
  workspace.write("two.csv", "age,city,sex,note,label\n40,north,Female,,no\n40,north,Male,,no\n");
  ASSERT_EQ(workspace.run({"predict", "--model", "model", "--data", "two.csv", "--out", "two.out"})
                .exit_code,
            0);
  const std::string lines = read_bytes(workspace.path("two.out"));
  const size_t first = lines.find("\n1,");
  const size_t second = lines.find("\n2,");
  EXPECT_NE(lines.substr(first + 3, second - first - 3), lines.substr(second + 3));
}

TEST(Decoupled, AModelWhoseGroupsAreDamagedIsRefused) {
  const Workspace workspace;
  declare_sizes(workspace);
  ASSERT_EQ(workspace.train(join(kDecoupled, {"--out", "model"})).exit_code, 0);
  const std::string text = read_bytes(workspace.path("model/model.json"));
  for (const auto& [good, bad] :
       {std::pair{"\"model_per_group\": true", "\"model_per_group\": 1"},
        {"\"model_per_group\": true", "\"model_per_group\": false"},
        {"\"method_groups\": [\n    \"sex\"\n  ]", "\"method_groups\": [\"sexy\"]"}}) {
    workspace.write("bad.json", replaced(text, good, bad));
    const ToolResult result = workspace.run(
        {"predict", "--model", "bad.json", "--data", "people.csv", "--out", "predicted.csv"});
    EXPECT_EQ(result.exit_code, 3) << bad << result;
  }
}

}  // namespace
}  // namespace equinoise::testing::decoupled_test
