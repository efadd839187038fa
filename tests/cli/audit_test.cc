// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::audit_test {
namespace {

const std::string kSecret = "hunter2secret";

/// A workspace with two trained models in the folders "model" and "reference".
class AuditCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.open_ledger();
    ok(workspace.train("--epsilon 1 --split-seed 5 --out model"));
    ok(workspace.train("--method sgd --split-seed 5 --insecure-test-rng --seed 1 --out reference"));
  }

  static Words words(const Words& more = {}) {
    return join("audit --model model --data people.csv", more);
  }

  Workspace workspace;
};

TEST_F(AuditCommand, HoldsTheContract) {
  const std::string ledger = workspace.ledger_bytes();
  const Json json =
      json_of(ok(workspace.run(words("--held-out --groups sex,city --groups label --reference "
                                     "reference --max-disparity accuracy=1 --out audit --json"))));
  expect_keys(json, {"method", "status", "privacy", "overall", "groups", "disparities", "reference",
                     "constraints", "seconds", "files"});
  EXPECT_EQ(json.at("method"), "dpsgd");
  EXPECT_EQ(json.at("status"), "private");
  EXPECT_EQ(json.at("overall").at("num_records"), 100);
  EXPECT_LE(json.at("overall").at("accuracy"), 1);
  ASSERT_EQ(json.at("groups").size(), 8U);
  int64_t judged = 0;
  for (size_t i = 0; i < 6; ++i) judged += json.at("groups")[i].at("num_records").get<int64_t>();
  EXPECT_EQ(judged, 100);
  ASSERT_EQ(json.at("constraints").size(), 2U);
  for (const Json& constraint : json.at("constraints")) {
    expect_keys(constraint, {"name", "value", "slack", "holds"});
    EXPECT_EQ(constraint.at("holds"), true);
  }
  EXPECT_FALSE(json.at("reference").is_null());
  EXPECT_THAT(Words(json.at("files")),
              UnorderedElementsAre("audit/report.json", "audit/report.html"));
  for (const std::string name : {"audit/report.json", "audit/report.html"}) {
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(workspace.path(name)).permissions(),
              perms::owner_read | perms::owner_write);
  }
  const Json written = workspace.json("audit/report.json");
  EXPECT_EQ(written.at("overall"), json.at("overall"));
  EXPECT_EQ(workspace.ledger_bytes(), ledger);
}

TEST_F(AuditCommand, ALimitThatFailsEndsWithCode5AfterAllOutput) {
  // The model without noise, which tells the labels apart.
  const Words limited =
      with_option(words("--groups label --max-disparity selection_rate=0"), "--model", "reference");
  for (const Words& more : {Words{}, Words("--json")}) {
    const std::string out = more.empty() ? "text" : "json";
    const ToolResult result =
        workspace.run(join(join(limited, {"--max-disparity", "accuracy=1", "--out", out}), more));
    EXPECT_EQ(result.exit_code, 5) << result;
    EXPECT_THAT(result.err, AllOf(HasSubstr("A limit FAILS: selection rate (share of label = "),
                                  HasSubstr("], the limit 0"), Not(HasSubstr("accuracy"))));
    EXPECT_THAT(result.out, Not(IsEmpty()));
    EXPECT_TRUE(workspace.has(out + "/report.html"));
    if (more.empty()) continue;
    const Json constraints = json_of(result).at("constraints");
    EXPECT_EQ(constraints[0].at("holds"), false);
    EXPECT_EQ(constraints[1].at("holds"), true);
  }
  expect_error(workspace.run(limited, {.out_path = "/dev/full"}), 1);
}

TEST_F(AuditCommand, WrongLimitsAreRefused) {
  const auto limit = [](const std::string& text) {
    return words({"--groups", "sex", "--max-disparity", text});
  };
  expect_refused(workspace, limit("acuracy=0.1"), 2, {"did you mean", "accuracy"});
  expect_refused(workspace, limit("rmse=0.1"), 2,
                 {"--max-disparity rmse", "has 2 classes", "accuracy, error"});
  for (const std::string text : {"accuracy", "accuracy=", "accuracy=x", "accuracy=0.1x", "=",
                                 "accuracy= 0.1", "accuracy=0.1=0.2"}) {
    expect_refused(workspace, limit(text), 2, {"METRIC=NUMBER"});
  }
  for (const std::string text : {"accuracy=-0.1", "accuracy=nan", "accuracy=inf"}) {
    expect_refused(workspace, limit(text), 2,
                   {"max_disparity of accuracy must be finite and >= 0"});
  }
  expect_refused(workspace, join(limit("accuracy=0.1"), "--max-disparity accuracy=0.2"), 2,
                 {"--max-disparity accuracy is given twice"});
  expect_refused(workspace, words("--max-disparity accuracy=0.1"), 2, "--groups");
}

TEST_F(AuditCommand, WrongGroupsAreRefused) {
  expect_refused(workspace, words("--groups sexx"), 2, {"sexx", "did you mean 'sex'?"});
  expect_refused(workspace, words("--groups sex --groups sex"), 2, {"--groups sex is given twice"});
  expect_refused(workspace, words("--groups sex,sex"), 2, {"twice"});
  expect_refused(workspace, words("--groups age"), 2, {"[groups."});
  expect_refused(workspace, words("--groups sex --min-group-size 5"), 2, "--small-groups");
  expect_refused(workspace, words("--groups sex --min-group-size -5"), 2, "--min-group-size");
  expect_refused(workspace, words("--groups sex --min-group-size 5 --small-groups hide"), 2,
                 "--small-groups");
}

TEST_F(AuditCommand, ASchemaThatEncodesOtherwiseIsRefused) {
  workspace.write("other.toml", replaced(people_schema(), "[17, 90]", "[0, 90]"));
  expect_refused(workspace, words("--schema other.toml"), 3,
                 {"other.toml: column 'age' differs in bounds", "model.json"});
  workspace.write("other.toml", "nonsense");
  expect_refused(workspace, words("--schema other.toml"), 3, {"other.toml:1:"});
  expect_refused(workspace, words("--schema nothing.toml"), 3, {"nothing.toml: "});
}

TEST_F(AuditCommand, WhatIsWrongWithModelsIsSaid) {
  expect_refused(workspace, with_option(words(), "--model", "nothing"), 3,
                 {"nothing: no such file"});
  expect_refused(workspace, words("--reference nothing"), 3, {"nothing: no such file"});
  expect_refused(workspace, words("--reference people.csv"), 3, {"people.csv:1:1: is not JSON"});
  workspace.write("sexes.toml",
                  replaced(people_schema(), "target = \"label\"", "target = \"sex\""));
  ok(workspace.run(
      with_option(Workspace::train_words("--method sgd --out other"), "--schema", "sexes.toml")));
  expect_refused(workspace, words("--reference other"), 3, {"other: predicts 'sex'", "'label'"});
}

TEST_F(AuditCommand, WhatIsWrongWithTheTableIsSaid) {
  workspace.write("lacks.csv", "age,city,sex,note\n30,north,Male,\n");
  workspace.write("words.csv", "age,city,sex,label\n" + kSecret + ",north,Male,no\n");
  expect_refused(workspace, with_option(words(), "--data", "lacks.csv"), 3,
                 {"lacks.csv: ", "'label'"});
  expect_refused(workspace, with_option(words(), "--data", "words.csv"), 3,
                 {"'age' is not a number"});
  expect_refused(workspace, with_option(words(), "--data", "model"), 3, {"model: is a directory"});
  expect_refused(workspace, with_option(words(), "--data", "nothing.csv"), 3, {"nothing.csv: "});
  workspace.write("more.csv", people_csv(401));
  expect_refused(workspace, with_option(words("--held-out"), "--data", "more.csv"), 3,
                 {"401 rows", "num_records = 400"});
  ok(workspace.run(with_option(words(), "--data", "more.csv")));
}

TEST_F(AuditCommand, AnOutThatCannotBeWrittenIsFoundFirst) {
  const Words broken = with_option(words("--out x"), "--data", "nothing.csv");
  expect_refused(workspace, with_option(broken, "--out", "reference"), 2,
                 {"reference exists", "--force"});
  expect_refused(workspace, join(with_option(broken, "--out", "model"), "--force"), 2,
                 {"its training report"});
  expect_refused(workspace, with_option(broken, "--out", "people.csv/out"), 1, {"[tasks.output] "});
  expect_refused(workspace, words("--out audit"), 1, {"audit", "File too large"},
                 {.max_file_bytes = 32768});
}

TEST_F(AuditCommand, RequiredOptionsAreAskedForAndEmptyValuesRefused) {
  expect_refused(workspace, "audit --data people.csv", 2, {"--model is required"});
  expect_refused(workspace, "audit --model model", 2, {"--data is required"});
  expect_refused(workspace, words("--heldout"), 2, {"did you mean --held-out?"});
  for (const std::string& name :
       Words("--model --data --groups --reference --schema --min-group-size --small-groups "
             "--max-disparity --out")) {
    expect_refused(workspace, with_option(words(), name, ""), 2, {name + ":"});
  }
}

TEST_F(AuditCommand, NoCellIsEverRepeated) {
  workspace.write("people.csv", "age,city,sex,label\n30," + kSecret + ",Male,no\n40,north,Female," +
                                    kSecret + "\n50,south,Female,yes\n");
  const ToolResult result = ok(workspace.run(words("--groups sex --out audit --json")));
  EXPECT_EQ(json_of(result).at("overall").at("num_records"), 1);
  EXPECT_THAT(result.out + result.err + workspace.text("audit/report.html"),
              Not(HasSubstr(kSecret)));
}

}  // namespace
}  // namespace equinoise::testing::audit_test
