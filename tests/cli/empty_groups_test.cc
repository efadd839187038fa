// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::empty_groups_test {
namespace {

/// People of a third sex, too, who are declared to be as many.
void declare_others(const Workspace& workspace, int num_others) {
  std::string schema = people_schema_with_sizes(134, 266 - num_others);
  schema += group_sizes("sex", {{"Other", num_others}});
  workspace.write("people.toml", replaced(std::move(schema), "[\"Female\", \"Male\"]",
                                          "[\"Female\", \"Male\", \"Other\"]"));
}

Words train(const std::string& method, const Words& more = {}) {
  return join(Workspace::train_words(), join({"--method", method, "--groups", "sex", "--epsilon",
                                              "8", "--insecure-test-rng", "--seed", "1", "--json"},
                                             more));
}

TEST(EmptyGroups, AreNoReasonToRefuseTheOthers) {
  const Workspace workspace;
  declare_others(workspace, 0);
  for (const char* method : {"balanced", "mgr_w", "ags"}) {
    const Json groups = json_of(ok(workspace.run(train(method)))).at("groups");
    ASSERT_THAT(groups, SizeIs(3)) << method;
    EXPECT_EQ(groups[2].at("num_records"), 0) << method;
    EXPECT_TRUE(groups[2].at("loss").is_null()) << method;
  }
  expect_error(workspace.run(train("decoupled")), 2, "declares that nobody is in group Other");
}

TEST(EmptyGroups, AreLeftOutOfConstraints) {
  const Workspace workspace;
  declare_others(workspace, 0);
  const Words words = train("raco_dp", "--constraint demographic_parity:sex:0.2");
  const ToolResult trained = workspace.run(words);
  ASSERT_THAT(trained.exit_code, AnyOf(0, 5)) << trained;
  EXPECT_THAT(json_of(trained).at("constraints"), SizeIs(4)) << "two of women, two of men";
  EXPECT_THAT(json_of(trained).at("warnings"),
              Contains(HasSubstr("2 of 6 constraints are on groups that the schema declares to be "
                                 "empty")));
  EXPECT_THAT(json_of(trained).at("warnings").dump(), Not(HasSubstr("sex=Other, label")));
  expect_error(workspace.run(train("raco_dp", "--constraint fnr:sex=Other:0.1")), 2,
               "1 of 1 constraints are on groups");
}

/// The fact is what is declared: the same people, where one is expected to be of the third sex.
TEST(EmptyGroups, AreThoseThatAreDeclared) {
  const Workspace workspace;
  declare_others(workspace, 1);
  const ToolResult trained =
      workspace.run(train("raco_dp", "--constraint demographic_parity:sex:0.2"));
  ASSERT_THAT(trained.exit_code, AnyOf(0, 5)) << trained;
  EXPECT_THAT(json_of(trained).at("constraints"), SizeIs(6));
}

TEST(EmptyGroups, AreNotTheOnlyReasonThatNothingCanBeLearnt) {
  const Workspace workspace;
  std::string csv = "age,city,sex,note,label\n";
  for (int i = 0; i < kNumPeople; ++i)
    csv += fmt::format("40,north,{},,yes\n", i % 2 ? "Male" : "Female");
  workspace.write("people.csv", csv);
  EXPECT_THAT(json_of(workspace.run(train("dpsgd"))).at("ingest").dump(),
              HasSubstr("no training records of class no"));
  workspace.write("people.toml",
                  replaced(people_schema(), "target = \"label\"", "target = \"age\""));
  EXPECT_THAT(json_of(workspace.run(train("dpsgd"))).at("ingest").dump(),
              HasSubstr("all training records have the same age"));
  const Workspace tiny(8);
  EXPECT_THAT(json_of(tiny.run(with_option(train("dpsgd"), "--batch-size", "4"))).at("warnings"),
              Contains(HasSubstr("7 parameters and only 6 records")));
}

TEST(EmptyGroups, ReferencesOfWorstGroupMethodsLowerTheLargestLoss) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
  const std::vector<std::pair<const char*, const char*>> references = {{"mgr_w", "group_dro"},
                                                                       {"dpsgd", "sgd"}};
  for (const auto& [method, reference] : references) {
    const ToolResult result = ok(workspace.run(train(method, "--reference")));
    EXPECT_EQ(json_of(result).at("reference").at("method"), reference);
  }
  const ToolResult constrained =
      workspace.run(train("raco_dp", "--reference --constraint demographic_parity:sex:0.2"));
  EXPECT_EQ(json_of(constrained).at("reference").at("method"), "sgda");
}

}  // namespace
}  // namespace equinoise::testing::empty_groups_test
