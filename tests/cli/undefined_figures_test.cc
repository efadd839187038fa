// SPDX-License-Identifier: Apache-2.0
// Figures over nobody, and figures that are no numbers: null or "-", "not answerable", never 0, and
// never nan or inf.

#include <regex>
#include <set>

#include "tests/cli/people.h"

namespace equinoise::testing::undefined_figures_test {
namespace {

/// Words of a text that are no numbers.
void expect_no_lost_figures(const std::string& text, const std::string& what) {
  static const std::regex lost("(^|[^A-Za-z])(nan|inf|infinity)([^A-Za-z]|$)",
                               std::regex::icase | std::regex::optimize);
  std::smatch found;
  EXPECT_FALSE(std::regex_search(text, found, lost))
      << what << " tells of " << found.str() << " in\n"
      << text.substr(0, 4000);
}

/// The keys that are null somewhere.
void add_nulls(const Json& json, const std::string& key, std::set<std::string>& nulls) {
  if (json.is_null()) nulls.insert(key);
  if (json.is_object())
    for (const auto& [name, value] : json.items()) add_nulls(value, name, nulls);
  if (json.is_array())
    for (const Json& value : json) add_nulls(value, key, nulls);
}

std::set<std::string> nulls_of(const Json& json) {
  std::set<std::string> nulls;
  add_nulls(json, "", nulls);
  return nulls;
}

/// Group b has no positive records, group c no records at all.
class RatesOfNobody : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.write("g.toml", schema_head("aud", "y", 200) + numeric_section("x", -4, 4) +
                                  categorical_section("g", {"a", "b", "c"}) +
                                  categorical_section("y", {"no", "yes"}));
    std::string table = "x,g,y\n";
    for (int i = 0; i < 200; ++i) {
      const int x = i % 7 - 3;
      table += std::to_string(x) + (i % 2 == 0 ? ",a," : ",b,") + (x > 0 ? "yes\n" : "no\n");
    }
    workspace.write("train.csv", table);
    ok(
        workspace.run("train --schema g.toml --data train.csv --method sgd --batch-size 50 --steps "
                      "100 --insecure-test-rng --seed 1 --out m"));
  }

  ToolResult audit(const std::string& table, const Words& more) const {
    return workspace.run(join({"audit", "--model", "m", "--data", table, "--groups", "g"}, more));
  }

  Workspace workspace;
};

TEST_F(RatesOfNobody, AreUndefinedAndPassNoLimit) {
  // A model that is right, and one that finds no positive: neither can be compared with group b.
  const std::string of_b = "-3,b,no\n-2,b,no\n-3,b,no\n";
  workspace.write("right.csv", "x,g,y\n3,a,yes\n3,a,yes\n-3,a,no\n-3,a,no\n" + of_b);
  workspace.write("blind.csv", "x,g,y\n-3,a,yes\n-3,a,yes\n-3,a,no\n-3,a,no\n" + of_b);
  for (const std::string table : {"right.csv", "blind.csv"}) {
    for (const std::string metric : {"true_positive_rate", "false_negative_rate", "precision"}) {
      const Words limit = {"--max-disparity", metric + "=0.05", "--strict"};
      const ToolResult text = audit(table, limit);
      EXPECT_EQ(text.exit_code, 5) << text;
      EXPECT_THAT(text.err, AllOf(HasSubstr("A limit is NOT ANSWERABLE"), HasSubstr("b; c"),
                                  Not(HasSubstr("FAILS"))));
      EXPECT_THAT(text.out, AllOf(HasSubstr("not answerable"), Not(HasSubstr("FAILS")),
                                  Not(HasSubstr("  holds"))));
      expect_no_lost_figures(text.out, table);
      const ToolResult result = audit(table, join(limit, "--json"));
      EXPECT_EQ(result.exit_code, 5) << result;
      const Json json = json_of(result);
      for (const size_t group : {1, 2}) {
        const Json& figures = json.at("groups").at(group);
        EXPECT_TRUE(figures.at(metric).is_null()) << figures;
        EXPECT_EQ(figures.at(metric + "_interval"), Json({nullptr, nullptr}));
      }
      EXPECT_EQ(json.at("groups").at(1).at("accuracy"), 1.0);
      const Json& verdict = json.at("constraints").at(0);
      EXPECT_TRUE(verdict.at("value").is_null());
      EXPECT_TRUE(verdict.at("holds").is_null());
      EXPECT_EQ(verdict.at("verdict"), "not answerable");
      for (const Json& disparity : json.at("disparities")) {
        if (disparity.at("metric") != metric) continue;
        for (const char* key : {"difference_between_groups", "ratio_between_groups", "lowest"})
          EXPECT_TRUE(disparity.at(key).is_null()) << disparity;
        EXPECT_THAT(disparity.at("left_out"), Contains(Json{{"g", "b"}}));
      }
    }
  }
  // What all groups with records have is answered; the empty one is named.
  const ToolResult held = ok(audit("right.csv", "--max-disparity accuracy=1 --strict --json"));
  EXPECT_EQ(json_of(held).at("constraints").at(0).at("left_out"), Json::array({Json{{"g", "c"}}}));
}

/// Precision depends on the model: it must not keep a limit by predicting nobody of a group
/// positive.
TEST_F(RatesOfNobody, AGroupThatIsNeverPredictedPositiveKeepsNoLimit) {
  workspace.write("three.csv", "x,g,y\n3,a,yes\n3,b,yes\n-3,c,no\n-3,c,yes\n");
  expect_error(audit("three.csv", "--max-disparity precision=0.5 --strict"), 5,
               "some groups with records do not have this figure");
  std::string worse = "x,g,y\n-3,c,no\n-3,c,yes\n";
  for (int i = 0; i < 40; ++i) worse += "3,a,yes\n3,b,no\n";
  workspace.write("worse.csv", worse);
  EXPECT_THAT(audit("worse.csv", "--max-disparity precision=0.5").err,
              HasSubstr("A limit FAILS: precision by g"));
}

TEST_F(RatesOfNobody, ConstraintsThatNeedThemAreNotAnswerable) {
  workspace.write("right.csv", "x,g,y\n3,a,yes\n3,a,yes\n-3,a,no\n-3,b,no\n-2,b,no\n");
  const Words constraint = "--constraint equalized_odds:g:0.05 --out report --force";
  const ToolResult text = ok(audit("right.csv", constraint));
  expect_no_lost_figures(text.out, "audit");
  expect_no_lost_figures(workspace.text("report/report.html"), "report.html");
  const Json json = json_of(audit("right.csv", join(constraint, "--json")));
  int num_unanswered = 0;
  for (const Json& row : json.at("constraints")) {
    const std::string name = row.at("text");
    const bool needs_nobody =
        name.find("g=c") != std::string::npos ||
        (name.find("y=yes") != std::string::npos && name.find("g=b") != std::string::npos);
    if (!needs_nobody) continue;
    ++num_unanswered;
    EXPECT_EQ(row.at("verdict"), "not answerable") << row;
    for (const char* key : {"value", "holds"}) EXPECT_TRUE(row.at(key).is_null()) << row;
    EXPECT_EQ(row.at("value_interval"), Json({nullptr, nullptr}));
  }
  EXPECT_GE(num_unanswered, 4);
}

TEST_F(RatesOfNobody, ATableOfNobodyHasNoFigures) {
  workspace.write("g2.toml",
                  replaced(workspace.text("g.toml"), "[-4, 4]", "[-4, 4]\nmissing = \"drop\""));
  workspace.write("nobody.csv", "x,g,y\n,a,yes\n,b,no\n");
  const ToolResult text = ok(audit("nobody.csv", "--schema g2.toml"));
  expect_no_lost_figures(text.out, "audit");
  EXPECT_THAT(text.out, Not(HasSubstr("0.0 [")));
  const Json json = json_of(audit("nobody.csv", "--schema g2.toml --json"));
  for (const char* key : {"accuracy", "loss", "selection_rate"})
    EXPECT_TRUE(json.at("overall").at(key).is_null()) << key;
}

TEST(LostFigures, MeasurementsBeyondWhatCanBeFittedAreRefusedByName) {
  const TempFolder folder;
  folder.write_file("domain.json", R"({"a": 2, "b": 2})");
  const auto run = [&](const std::string& sigma, const std::string& y, const std::string& total) {
    folder.write_file("noisy.json",
                      R"({"total": )" + total +
                          R"(, "measurements": [{"clique": ["a"], "sigma": 1, "y": [3, 4]},)" +
                          R"({"clique": ["b"], "sigma": )" + sigma + R"(, "y": [)" + y + "]}]}");
    return run_tool(
        "infer --domain domain.json --measurements noisy.json --out model --force --json",
        {.folder = folder.path()});
  };
  struct Case {
    std::string sigma;
    std::string y;
    std::string total;
    std::string says;
  };
  for (const Case& c : std::vector<Case>{{"1", "1e300, 2", "null", "measurements[1]"},
                                         {"1", "-1e200, 2", "null", "measurements[1]"},
                                         {"1e-300", "3, 4", "null", "measurements[1]"},
                                         {"1e-59", "1e10, 4", "null", "measurements[1]"},
                                         {"1e300", "3, 4", "null", "measurements[1]"},
                                         {"1", "3, 4", "1e300", "total"}}) {
    expect_error(run(c.sigma, c.y, c.total), 3, {"noisy.json", c.says});
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "model/model.json"));
  }
  for (const Case& c : std::vector<Case>{{"1", "1e60, -1e60", "null", ""},
                                         {"1e-60", "0.5, 0", "null", ""},
                                         {"1e60", "1e60, 0", "1e60", ""},
                                         {"1e-60", "0, 0.5", "1e60", ""}}) {
    const ToolResult result = ok(run(c.sigma, c.y, c.total));
    EXPECT_THAT(nulls_of(json_of(result)), IsEmpty()) << result;
    EXPECT_THAT(nulls_of(Json::parse(read_bytes(folder.path() / "model/model.json"))), IsEmpty());
  }
}

/// A run without clipping at a rate that no loss survives.
TEST(LostFigures, ATrainingThatDivergedSaysSoEverywhere) {
  const Workspace workspace;
  workspace.write("people.toml",
                  replaced(people_schema(), "target = \"label\"", "target = \"age\""));
  const Words train = with_option(
      Workspace::train_words("--method sgd --learning-rate 1e6 --groups sex"), "--out", "m");
  const ToolResult text = ok(workspace.run(train));
  EXPECT_THAT(text.out, HasSubstr("warning: training diverged"));
  expect_no_lost_figures(text.out, "train");
  for (const char* file : {"m/model_card.md", "m/report.html"}) {
    const std::string told = workspace.text(file);
    EXPECT_THAT(told, HasSubstr("training diverged")) << file;
    expect_no_lost_figures(told, file);
  }
  EXPECT_THAT(workspace.json("m/model_card.json").at("warnings").dump(),
              HasSubstr("training diverged"));
  EXPECT_EQ(workspace.json("m/model.json").at("diverged"), true);
  for (const Words& use : {Words("predict --model m --data people.csv --out p.csv"),
                           Words("audit --model m --data people.csv")}) {
    expect_error(workspace.run(use), 3, {"m/model.json", "its training diverged"});
  }
}

}  // namespace
}  // namespace equinoise::testing::undefined_figures_test
