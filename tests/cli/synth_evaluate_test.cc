// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::synth_evaluate_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Tables of two columns of codes.
class SynthEvaluate : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.write("domain.json", R"({"a": 2, "b": 3})");
    workspace.write("real.csv", "a,b\n0,0\n0,1\n1,2\n1,2\n");
    workspace.write("same.csv", "b,a\n2,1\n0,0\n1,0\n2,1\n");
    workspace.write("other.csv", "a,b\n0,0\n0,1\n1,2\n1,0\n");
  }

  static Words words(const std::string& synthetic, const Words& more = {}) {
    return join({"synth", "evaluate", "--real", "real.csv", "--synthetic", synthetic, "--domain",
                 "domain.json"},
                more);
  }

  Workspace workspace;
};

TEST_F(SynthEvaluate, ComparesMarginalsOfADegree) {
  const Json same = json_of(workspace.run(words("same.csv", {"--degree", "2", "--json"})));
  EXPECT_EQ(same.at("workload_error"), 0.0);
  EXPECT_EQ(same.at("marginals"), 1);
  const Json other = json_of(workspace.run(words("other.csv", {"--degree", "1", "--json"})));
  EXPECT_EQ(other.at("workload_error"), 0.125);  // a: 0, b: 1/4
  EXPECT_EQ(other.at("marginals"), 2);
  EXPECT_EQ(other.at("worst"), Json({"b"}));
  EXPECT_EQ(other.at("worst_error"), 0.25);
  EXPECT_EQ(other.at("status"), "not private");
}

TEST_F(SynthEvaluate, TheTextSaysThatItIsNotPrivate) {
  const ToolResult result = workspace.run(words("other.csv", {"--degree", "2"}));
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, AllOf(HasSubstr("workload error 0.2500"), HasSubstr("NOT PRIVATE"),
                                HasSubstr("Do not publish")));
  EXPECT_THAT(
      json_of(workspace.run(words("other.csv", {"--degree", "2", "--json"}))).at("notice").dump(),
      HasSubstr("DO NOT PUBLISH"));
}

TEST_F(SynthEvaluate, CodesOutsideTheDomainAreDroppedAndCounted) {
  workspace.write("real.csv", "a,b\n0,0\n0,1\n1,2\n1,2\n7,1\n");
  const Json json = json_of(workspace.run(words("same.csv", {"--degree", "2", "--json"})));
  EXPECT_EQ(json.at("workload_error"), 0.0);
  EXPECT_EQ(json.at("real_records"), 4);
  EXPECT_THAT(json.at("not_private_ingest").dump(), HasSubstr("column a: 1"));
}

TEST_F(SynthEvaluate, GroupsAndAClassifierAreCompared) {
  workspace.write("people.toml", people_schema());
  workspace.write("other_people.csv", people_csv(100));
  const Words command = {"synth",    "evaluate",   "--schema",    "people.toml",
                         "--real",   "people.csv", "--synthetic", "other_people.csv",
                         "--degree", "2",          "--by",        "sex",
                         "--target", "label",      "--positive",  "yes"};
  const Json json = json_of(workspace.run(join(command, {"--json"})));
  const Json& parity = json.at("parity");
  EXPECT_EQ(parity.at("by"), Json({"sex"}));
  ASSERT_EQ(parity.at("groups").size(), 2U);
  const Json& women = parity.at("groups")[0];
  EXPECT_EQ(women.at("group"), Json({{"sex", "Female"}}));
  EXPECT_EQ(women.at("real_records"), 134);
  EXPECT_EQ(women.at("synthetic_records"), 34);
  EXPECT_EQ(women.at("mean_errors").size(), 1U);
  EXPECT_GT(women.at("workload_error"), 0.0);
  EXPECT_EQ(parity.at("means").at("worst_column"), "age");
  const double largest = std::max(women.at("mean_errors").at("age").get<double>(),
                                  parity.at("groups")[1].at("mean_errors").at("age").get<double>());
  EXPECT_EQ(parity.at("means").at("largest_disparity"), largest);
  const Json& classifier = json.at("classifier");
  EXPECT_EQ(classifier.at("positive"), "yes");
  EXPECT_GT(classifier.at("accuracy"), 0.8);
  EXPECT_EQ(classifier.at("groups").size(), 2U);
  EXPECT_EQ(classifier.at("demographic_parity_difference"),
            std::abs(classifier.at("groups")[0].at("selection_rate").get<double>() -
                     classifier.at("groups")[1].at("selection_rate").get<double>()));

  const ToolResult text = workspace.run(command);
  EXPECT_THAT(text.out, AllOf(HasSubstr("mean of age"), HasSubstr("demographic parity: difference"),
                              HasSubstr("Classifier of label = yes"), HasSubstr("NOT PRIVATE")));
}

TEST_F(SynthEvaluate, AClassifierNeedsNoGroups) {
  const Json json =
      json_of(workspace.run(words("same.csv", {"--degree", "1", "--target", "a", "--json"})));
  EXPECT_FALSE(json.contains("parity"));
  EXPECT_EQ(json.at("classifier").at("accuracy"), 1.0);
  EXPECT_FALSE(json.at("classifier").contains("groups"));
}

TEST_F(SynthEvaluate, WhatIsWrongIsSaid) {
  const auto error = [&](const Words& command, int exit_code) {
    const ToolResult result = workspace.run(command);
    EXPECT_EQ(result.exit_code, exit_code) << result;
    EXPECT_THAT(result.out, IsEmpty());
    return result.err;
  };
  EXPECT_THAT(error(words("same.csv"), 2),
              HasSubstr("degree must lie between 1 and the number of columns, 2"));
  EXPECT_THAT(error(words("none.csv", {"--degree", "1"}), 3), HasSubstr("none.csv"));
  EXPECT_THAT(error(words("same.csv", {"--degree", "1", "--bins-of", "a=3"}), 2),
              HasSubstr("bins are for numeric columns, but 'a' is not one"));
  EXPECT_THAT(error(words("same.csv", {"--degree", "1", "--bins-of", "a"}), 2),
              HasSubstr("--bins-of needs COLUMN=NUMBER"));
  EXPECT_THAT(error({"synth", "evaluate", "--real", "real.csv", "--synthetic", "same.csv"}, 2),
              HasSubstr("--schema FILE or --domain FILE is required"));
  const Words one = {"--degree", "1"};
  EXPECT_THAT(error(words("same.csv", join(one, {"--by", "c"})), 2), HasSubstr("'c'"));
  EXPECT_THAT(error(words("same.csv", join(one, {"--target", "c"})), 3), HasSubstr("'c'"));
  EXPECT_THAT(error(words("same.csv", join(one, {"--positive", "1"})), 2),
              HasSubstr("--positive needs --target"));
  EXPECT_THAT(error(words("same.csv", join(one, {"--target", "b"})), 2),
              HasSubstr("the target has 3 classes; say which is the positive one: --positive 2"));
  EXPECT_THAT(error(words("same.csv", join(one, {"--target", "b", "--positive", "5"})), 2),
              HasSubstr("--positive 5 is not a class of the target"));
  workspace.write("domain.json", R"({"a": 2})");
  EXPECT_EQ(workspace.run(words("same.csv", {"--degree", "1"})).exit_code, 0);
  workspace.write("domain.json", R"({"a": 2, "c": 2})");
  EXPECT_THAT(error(words("same.csv", {"--degree", "1"}), 3), HasSubstr("'c'"));
}

}  // namespace
}  // namespace equinoise::testing::synth_evaluate_test
