// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::models_test {
namespace {

/// A kind of model, how its first parameter is called and what its card says.
struct Kind {
  Words words;
  std::string name;
  std::string parameter;
  std::string card;
};

TEST(Models, OfEveryKindAreKeptAuditedAndPredictAsTheyWereTrained) {
  const std::vector<Kind> kinds = {
      {"--method dpgam", "additive", "age=17", "additive"},
      {"--model mlp --hidden 7,5 --activation relu", "mlp", "layer1 ",
       "mlp, hidden layers of 7, 5, relu"},
      {"--method decoupled", "logistic", "Female: age", "logistic"},
      {"--method dp_postprocess --constraint demographic_parity:sex:0.5", "logistic", "Female: age",
       "logistic"}};
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(::testing::PrintToString(kind.words));
    const Workspace workspace;
    workspace.write("people.toml", people_schema_with_sizes(134, 266));
    workspace.open_ledger("9");
    const Words facts = "--schema people.toml --ledger people.ledger --groups sex --epsilon 8";
    const Words words = join(facts, kind.words);
    EXPECT_THAT(ok(workspace.run(join("plan", words))).out, HasSubstr(kind.name));
    const ToolResult trained =
        workspace.run(join("train --data people.csv --out model --json --reference", words));
    ASSERT_THAT(trained.exit_code, AnyOf(0, 5)) << trained;
    const Json report = json_of(trained);
    const Json model = workspace.json("model/model.json");
    EXPECT_EQ(model.at("model"), kind.name);
    EXPECT_THAT(model.at("parameters")[0].at("name").get<std::string>(), HasSubstr(kind.parameter));
    EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr(kind.card));
    const Words audit = "audit --model model --data people.csv --groups sex --held-out --json";
    const Json audited = json_of(workspace.run(audit));
    for (const char* figure : {"num_records", "accuracy", "loss"})
      EXPECT_EQ(audited.at("overall").at(figure), report.at("overall").at(figure)) << figure;
    EXPECT_EQ(audited.at("privacy"), report.at("privacy"));
    ok(workspace.run("predict --model model --data people.csv --out predictions.csv"));
  }
}

}  // namespace
}  // namespace equinoise::testing::models_test
