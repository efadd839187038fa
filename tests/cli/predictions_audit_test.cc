// SPDX-License-Identifier: Apache-2.0
// Audits of predictions that stand in a table, and of limits on ratios.

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "tests/cli/people.h"

namespace equinoise::testing::predictions_audit_test {
namespace {

using ::testing::ContainsRegex;

const std::string kSecret = "hunter2secret";

/// Rows of "g,y,prediction,p", each so many times.
struct Rows {
  std::string text;
  int count = 1;
};

std::string table_of(const std::vector<Rows>& rows, const std::string& head) {
  std::string text = head + "\n";
  for (const Rows& row : rows)
    for (int i = 0; i < row.count; ++i) text += row.text + "\n";
  return text;
}

class PredictionsAudit : public ::testing::Test {
 protected:
  ToolResult audit(const Words& more) const {
    return workspace.run(join("audit --predictions t.csv", more));
  }

  void expect_refused(const Words& more, int exit_code, const Words& messages) const {
    const ToolResult result = audit(more);
    EXPECT_EQ(result.exit_code, exit_code) << result;
    for (const std::string& message : messages) EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, Not(HasSubstr(kSecret)));
  }

  Workspace workspace;
};

// Of a 100 are selected 80, of b 40; b has two of three positives found.
const std::vector<Rows> kLoans = {{"a,1,1,0.9", 60}, {"a,0,1,0.7", 20}, {"a,0,0,0.2", 20},
                                  {"b,1,1,0.8", 40}, {"b,1,0,0.4", 20}, {"b,0,0,0.1", 40}};

TEST_F(PredictionsAudit, CountsWhatStandsInTheTable) {
  workspace.write("t.csv", table_of(kLoans, "g,y,prediction,p"));
  const ToolResult result = audit(
      "--target y --prediction prediction --probability p --groups g --min-ratio "
      "selection_rate=0.8 --max-disparity accuracy=0.5 --out o --json");
  EXPECT_EQ(result.exit_code, 5) << result;
  EXPECT_THAT(result.err, HasSubstr("A limit on a ratio FAILS"));
  const Json json = json_of(result);
  expect_keys(json, {"method", "status", "privacy", "overall", "groups", "disparities", "reference",
                     "constraints", "ratios", "seconds", "files"});
  for (const char* key : {"method", "model", "status", "privacy"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_EQ(json.at("predictions").at("probability"), "p");
  const Json& a = json.at("groups").at(0);
  const Json& b = json.at("groups").at(1);
  EXPECT_EQ(a.at("num_records"), 100);
  EXPECT_EQ(a.at("accuracy"), 0.8);
  EXPECT_EQ(a.at("selection_rate"), 0.8);
  EXPECT_EQ(a.at("false_positive_rate"), 0.5);
  EXPECT_EQ(b.at("selection_rate"), 0.4);
  EXPECT_NEAR(b.at("true_positive_rate").get<double>(), 2.0 / 3, 1e-12);
  EXPECT_EQ(b.at("auc"), 1.0);
  EXPECT_NEAR(a.at("loss").get<double>(),
              -(60 * std::log(0.9) + 20 * std::log(0.3) + 20 * std::log(0.8)) / 100, 1e-12);
  EXPECT_NEAR(b.at("calibration_gap").get<double>(), (32 + 8 + 4) / 100.0 - 0.6, 1e-12);
  EXPECT_EQ(b.at("roc").size(), 3U);
  EXPECT_EQ(b.at("calibration").at(4).at("num_records"), 20);
  EXPECT_EQ(b.at("calibration").at(4).at("share"), 1.0);
  const Json& ratio = json.at("ratios").at(0);
  EXPECT_EQ(ratio.at("value"), 0.5);
  EXPECT_EQ(ratio.at("verdict"), "fails");
  EXPECT_EQ(ratio.at("holds"), false);
  EXPECT_EQ(ratio.at("lowest"), Json({{"g", "b"}}));
  EXPECT_EQ(json.at("constraints").at(0).at("holds"), true);
  const std::string page = workspace.text("o/report.html");
  EXPECT_THAT(page, HasAll("not private", "no guarantee is stated", "Receiver operating", "FAILS"));
  EXPECT_EQ(workspace.json("o/report.json").at("ratios"), json.at("ratios"));

  const ToolResult text = ok(audit("--target y --probability p --groups g"));
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("(column p, positive from 0.5 on)"), HasSubstr("NOT PRIVATE"),
                    HasSubstr("exact figures of the table"), HasSubstr("no guarantee is stated"),
                    HasSubstr("Positive class: 1"), Not(HasSubstr("Guarantee of the model"))));
}

TEST_F(PredictionsAudit, ManyGroupsHaveAPageWithoutCurves) {
  std::vector<std::string> names;
  std::vector<Rows> rows;
  for (int g = 0; g < 101; ++g) names.push_back(fmt::format("g{}", g));
  for (const std::string& name : names) {
    rows.push_back({name + ",1,0.9", 10});
    rows.push_back({name + ",0,0.2", 10});
  }
  rows.push_back({"g0,0,0.95", 10});  // the smallest area under the curve
  workspace.write("t.csv", table_of(rows, "g,y,p"));
  const Json json =
      json_of(audit("--target y --probability p --groups g --out o --json"));
  EXPECT_FALSE(json.at("overall").at("roc").empty());
  EXPECT_FALSE(json.at("groups").at(0).contains("roc"));
  EXPECT_THAT(workspace.text("o/report.html"), HasSubstr("Receiver operating characteristic"));
}

/// Exit code 5 is for what fails, and by --strict for whatever does not hold.
TEST_F(PredictionsAudit, RatiosHaveFourVerdicts) {
  const auto verdict = [&](const std::vector<Rows>& rows, const std::string& limit) {
    workspace.write("t.csv", table_of(rows, "g,y,prediction"));
    const Words words = {"--target", "y", "--groups", "g", "--min-ratio", limit, "--json"};
    const ToolResult result = audit(words);
    const Json ratio = json_of(result).at("ratios").at(0);
    EXPECT_EQ(result.exit_code, ratio.at("verdict") == "fails" ? 5 : 0) << result;
    EXPECT_EQ(audit(join(words, "--strict")).exit_code, ratio.at("verdict") == "holds" ? 0 : 5);
    EXPECT_EQ(ratio.at("holds").is_null(),
              ratio.at("verdict") == "unclear" || ratio.at("verdict") == "not answerable");
    return ratio.at("verdict").get<std::string>();
  };
  EXPECT_EQ(verdict({{"a,1,1", 500}, {"b,1,1", 480}, {"b,1,0", 20}}, "selection_rate=0.8"),
            "holds");
  EXPECT_EQ(verdict({{"a,1,1", 10}, {"b,1,1", 9}, {"b,1,0", 1}}, "selection_rate=0.8"), "unclear");
  // Nobody of b is positive; then nobody at all is selected.
  EXPECT_EQ(verdict({{"a,1,1", 50}, {"b,0,0", 50}}, "true_positive_rate=0.8"), "not answerable");
  EXPECT_EQ(verdict({{"a,1,0", 50}, {"b,1,0", 50}}, "selection_rate=0.8"), "not answerable");
  EXPECT_EQ(verdict({{"a,1,1", 50}, {"b,0,0", 50}, {"c,1,0", 50}}, "true_positive_rate=0.8"),
            "fails");
}

TEST_F(PredictionsAudit, WhyARatioIsUndefinedIsSaid) {
  const auto why = [&](const std::vector<Rows>& rows, const std::string& limit) {
    workspace.write("t.csv", table_of(rows, "g,y,prediction"));
    return audit({"--target", "y", "--groups", "g", "--min-ratio", limit, "--strict"}).err;
  };
  // One group, of which all are selected.
  EXPECT_THAT(why({{"a,1,1", 9}}, "selection_rate=0.8"),
              AllOf(HasSubstr("fewer than two groups have this figure"), Not(HasSubstr("is 0"))));
  EXPECT_THAT(why({{"a,1,1", 9}, {"b,0,0", 9}}, "true_positive_rate=0.8"),
              HasSubstr("fewer than two groups have this figure (no records to count"));
  EXPECT_THAT(why({{"a,1,0", 9}, {"b,0,0", 9}}, "selection_rate=0.8"),
              HasSubstr("the rate is 0 for all groups that have it"));
  EXPECT_THAT(why({{"a,1,1", 9}, {"b,1,1", 9}, {"c,0,0", 9}}, "true_positive_rate=0.8"),
              HasSubstr("some groups with records do not have this figure"));
}

TEST_F(PredictionsAudit, AMissingPredictionIsNotHidden) {
  workspace.write("t.csv",
                  table_of({{"a,1,1", 5}, {"a,0,", 1}, {"b,0,0", 5}, {"b,,1", 2}, {",1,1", 1}},
                           "g,y,prediction"));
  const Json json = json_of(audit("--target y --groups g --json"));
  const auto group = [&](const std::string& name) {
    for (const Json& row : json.at("groups"))
      if (row.at("group").at("g") == name) return row;
    return Json();
  };
  EXPECT_TRUE(group("a").at("accuracy").is_null());
  EXPECT_TRUE(json.at("overall").at("accuracy").is_null());
  EXPECT_EQ(group("b").at("accuracy"), 1.0);
  EXPECT_EQ(group("b").at("num_records"), 5);
  EXPECT_EQ(group("missing").at("num_records"), 1);
  EXPECT_THAT(Words(json.at("ingest")),
              AllOf(::testing::Contains(HasSubstr("1 of 12 judged records have no prediction")),
                    ::testing::Contains(HasSubstr("2 of 14 records are left out"))));
}

// What was not counted is not 0.
TEST_F(PredictionsAudit, ScoresOfAGroupWithoutAPredictionAreOpen) {
  workspace.write("t.csv",
                  table_of({{"a,1,0.9", 5}, {"a,0,", 1}, {"b,0,0.1", 5}, {"b,1,0.8", 2}}, "g,y,p"));
  const std::string text = audit("--target y --probability p --groups g --verbose").out;
  const size_t begin = text.find("Scores of groups by g");
  ASSERT_NE(begin, text.npos) << text;
  const std::string table = text.substr(begin, text.find("\n\n", begin) - begin);
  EXPECT_THAT(table, AllOf(ContainsRegex("a +6 +- "), ContainsRegex("b +7 +2 "),
                           ContainsRegex(" 13 +- "), Not(ContainsRegex(" (6|13) +0 "))));
}

/// 10 % of one group and 20 % of the other are predicted to default, which is good for nobody.
TEST_F(PredictionsAudit, TheFourFifthsRuleIsOfTheFavourableClass) {
  workspace.write(
      "t.csv",
      table_of({{"a,0,0", 900}, {"a,1,1", 100}, {"b,0,0", 800}, {"b,1,1", 200}}, "g,y,prediction"));
  const Words words = "--target y --groups g --positive 1 --min-ratio selection_rate=0.8";
  const ToolResult adverse = audit(words);
  EXPECT_EQ(adverse.exit_code, 5) << adverse;
  EXPECT_THAT(adverse.out,
              HasAll("selection rate (share of y = 1)", "name the class with --favourable CLASS"));
  const ToolResult favourable = ok(audit(join(words, "--favourable 0 --json")));
  const Json ratio = json_of(favourable).at("ratios").at(0);
  EXPECT_EQ(ratio.at("class"), "0");
  EXPECT_NEAR(ratio.at("value").get<double>(), 0.8 / 0.9, 1e-12);
  EXPECT_EQ(ratio.at("verdict"), "holds");
  EXPECT_EQ(ratio.at("lowest"), Json({{"g", "b"}}));
  EXPECT_EQ(audit(join(words, "--favourable yes")).exit_code, 2);
}

/// The probability is of the other class than the positive one.
TEST_F(PredictionsAudit, ScoresOfTheOtherClassAreNoticed) {
  const auto warned = [&](const std::vector<Rows>& rows) {
    workspace.write("t.csv", table_of(rows, "g,y,p"));
    return audit("--target y --probability p --groups g")
               .out.find("scores of another class than y = 1") != std::string::npos;
  };
  EXPECT_TRUE(warned({{"a,1,0.2", 40}, {"a,1,0.7", 9}, {"a,0,0.8", 40}, {"a,0,0.3", 9}}));
  EXPECT_FALSE(warned({{"a,1,0.8", 40}, {"a,1,0.3", 9}, {"a,0,0.2", 40}, {"a,0,0.7", 9}}));
  // So few records say nothing.
  EXPECT_FALSE(warned({{"a,1,0.2", 2}, {"a,1,0.9", 2}, {"a,0,0.8", 2}, {"a,0,0.3", 2}}));
}

TEST_F(PredictionsAudit, SeveralClassesHaveRatesEach) {
  workspace.write("t.csv", table_of({{"u,a,a", 6},
                                     {"u,b,a", 2},
                                     {"u,c,c", 2},
                                     {"v,a,b", 5},
                                     {"v,c,c", 4},
                                     {"v,\"d=1\",\"d=1\"", 1}},
                                    "g,y,prediction"));
  const ToolResult result = audit(
      "--target y --groups g --min-ratio selection_rate:c=0.01 --max-disparity "
      "true_positive_rate=1 --max-disparity selection_rate:d=1=1 --json");
  const Json json = json_of(result);
  const Json& u = json.at("groups").at(0).at("per_class");
  ASSERT_EQ(u.size(), 4U);
  EXPECT_EQ(u.at(0).at("class"), "a");
  EXPECT_EQ(u.at(0).at("selection_rate"), 0.8);
  EXPECT_EQ(u.at(0).at("true_positive_rate"), 1.0);
  EXPECT_EQ(u.at(0).at("false_positive_rate"), 0.5);
  EXPECT_EQ(u.at(0).at("precision"), 0.75);
  EXPECT_TRUE(u.at(1).at("precision").is_null());
  EXPECT_TRUE(u.at(3).at("true_positive_rate").is_null());
  EXPECT_EQ(json.at("ratios").size(), 1U);
  EXPECT_EQ(json.at("ratios").at(0).at("class"), "c");
  EXPECT_EQ(json.at("constraints").size(), 5U);
  // Nobody of v is of class b and nobody of u of d.
  EXPECT_EQ(json.at("constraints").at(1).at("verdict"), "not answerable");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(audit("--target y --groups g --verbose").out,
              HasAll("Each class, by g", "Differences in each class"));
  expect_refused("--target y --groups g --min-ratio selection_rate:e=0.5", 2,
                 {"has no such class"});
  expect_refused("--target y --groups g --min-ratio accuracy:c=0.5", 2, {"not of a single class"});
  expect_refused("--target y --probability g", 2, {"two classes; 'y' has 4 classes"});
}

TEST_F(PredictionsAudit, ClassesAreComparedByWhatTheyMean) {
  workspace.write("t.csv", "g,y,prediction\na,True,1\na,False,0\nb,True,0\n");
  EXPECT_EQ(json_of(audit("--target y --json")).at("classes"), Json({"False", "True"}));
  EXPECT_NEAR(json_of(audit("--target y --json")).at("overall").at("accuracy").get<double>(),
              2.0 / 3, 1e-12);
  workspace.write("t.csv", "g;y;prediction\na;1;1.0\na;0;0.0\nb;1;0.0\n");
  EXPECT_EQ(json_of(audit("--target y --json")).at("classes"), Json({"0", "1"}));
  for (const char* prediction : {"1", "1.0"}) {
    workspace.write("t.csv", std::string("g,y,prediction\na,1,1\nb,1,") + prediction + "\n");
    EXPECT_EQ(json_of(audit("--target y --json")).at("classes"), Json({"0", "1"}));
  }
  workspace.write("t.csv", "g,y,prediction\na,good,good\na,bad,bad\nb,good,bad\n");
  expect_refused("--target y", 2, "--positive");
  const Json json = json_of(audit("--target y --positive bad --json"));
  EXPECT_EQ(json.at("classes"), Json({"good", "bad"}));
  EXPECT_EQ(json.at("overall").at("true_positive_rate"), 1.0);
  expect_refused("--target y --positive worse", 2, {"names no class"});
}

// Classes that are only predicted are another spelling or a mark, and every figure would be wrong.
TEST_F(PredictionsAudit, PredictionsOfOtherClassesAreRefused) {
  const auto refused = [&](const std::vector<Rows>& rows, const Words& more = {}) {
    workspace.write("t.csv", table_of(rows, "g,y,prediction"));
    expect_refused(join("--target y --groups g", more), 2,
                   {"column 'prediction' predicts", "'y'", "--na", "--schema"});
  };
  const Words good = "--positive good --max-disparity accuracy=0.1";
  refused({{"a,good,Good", 5}, {"b,bad,Bad", 5}}, good);
  refused({{"a,good,1", 5}, {"b,bad,0", 5}}, good);
  refused({{"a,good,Good", 5}, {"b,good,Good", 5}}, "--positive good");
  refused({{"a,yes,Approved", 5}, {"b,no,Denied", 5}});
  refused({{"a,1,1", 5}, {"b,0,NA", 5}, {"b,0,0", 5}});
  refused({{"a,x,X", 5}, {"b,y,Y", 5}, {"b,z,Z", 5}});
  refused({{"a,1,1", 5}, {"b,0,2", 5}}, "--target-type class");

  const auto judged = [&](const std::vector<Rows>& rows, const Words& more = {}) {
    workspace.write("t.csv", table_of(rows, "g,y,prediction"));
    return json_of(audit(join("--target y --groups g --json", more)));
  };
  const Json marked = judged({{"a,1,1", 5}, {"b,0,NA", 5}, {"b,0,0", 5}, {"a,0,0", 1}}, "--na NA");
  EXPECT_EQ(marked.at("groups").at(0).at("accuracy"), 1.0);
  EXPECT_TRUE(marked.at("groups").at(1).at("accuracy").is_null());
  // What is only predicted may well be a class where others are right, and the other truth is one.
  const Json several = judged({{"a,x,x", 5}, {"b,y,y", 5}, {"b,z,w", 1}});
  EXPECT_EQ(several.at("classes").size(), 4U);
  EXPECT_THAT(Words(several.at("ingest")),
              ::testing::Contains(HasSubstr("1 prediction of column 'prediction' is of a class")));
  EXPECT_EQ(judged({{"a,1,0", 5}, {"b,1,0", 5}}).at("overall").at("accuracy"), 0.0);
  EXPECT_EQ(judged({{"a,Yes,no", 1}, {"b,Yes,yes", 3}}).at("overall").at("accuracy"), 0.75);
  EXPECT_EQ(judged({{"a,good,bad", 1}, {"b,good,good", 3}}, "--positive good")
                .at("overall")
                .at("accuracy"),
            0.75);
  EXPECT_EQ(
      judged({{"a,good,bad", 1}, {"b,good,bad", 3}}, "--positive bad").at("overall").at("accuracy"),
      0.0);
}

TEST_F(PredictionsAudit, AColumnHasOneMeaning) {
  workspace.write("t.csv", "g,y,prediction,p\na,1,1,0.9\nb,0,,0.2\nb,0,0,0.3\n");
  expect_refused("--target y --groups prediction", 2,
                 {"--groups prediction: column 'prediction' holds the predictions"});
  expect_refused("--target y --probability p --groups p", 2, {"--groups p"});
  workspace.write("s.toml", schema_head("d", "y") + "[columns.y]\ntype = \"boolean\"\n" +
                                numeric_section("p", 0, 1) + band_section("band", "p", "[0.5]"));
  expect_refused("--schema s.toml --probability p --groups band", 2,
                 {"--groups band: column 'p' holds the predictions"});
  workspace.write("t.csv", "y,p,p\n1,0.5,.2\n0,.5,.1\n");
  expect_refused("--target y --probability p", 3, {"column 'p' twice"});
}

/// The notes of an audit.
Words notes_of(const ToolResult& result) { return Words(json_of(result).at("ingest")); }

// They may be classes and groups, so nothing is left out unasked.
TEST_F(PredictionsAudit, TextsThatLookLikeMissingCellsAreNoted) {
  const Words words = "--target y --groups g --json";
  const std::string head = "g,y,prediction";
  workspace.write(
      "t.csv",
      table_of({{"a,low,low", 5}, {"b,mid,mid", 5}, {"a,high,high", 4}, {"b,NA,low", 2}}, head));
  EXPECT_THAT(notes_of(audit(words)),
              Contains("class 'NA' of 'y' happened in 2 of 16 records and was never predicted; if "
                       "it marks a missing outcome, give --na 'NA'"));
  const ToolResult marked = audit(join(words, "--na NA"));
  EXPECT_EQ(json_of(marked).at("groups").at(1).at("accuracy"), 1.0);
  EXPECT_THAT(notes_of(marked), Not(Contains(HasSubstr("--na"))));
  workspace.write("t.csv", table_of({{"a,low,low", 5}, {"null,mid,mid", 5}, {"b,x,x", 4}}, head));
  EXPECT_THAT(notes_of(audit(words)),
              Contains(HasAll("'null' of column 'g'", "in 5 of 14 records", "--na 'null'")));
  // Of two classes it is a third one, or the second.
  workspace.write("t.csv", table_of({{"a,no,no", 5}, {"b,yes,yes", 5}, {"b,NA,no", 2}}, head));
  expect_refused("--target y --positive yes", 2,
                 {"two classes; 'y' has 3 classes: NA, no, yes; if 'NA' marks a missing outcome, "
                  "give --na 'NA'"});
  workspace.write("t.csv", table_of({{"a,yes,yes", 5}, {"b,NA,yes", 2}}, head));
  expect_refused("--target y", 2, {"'y' has two classes, NA and yes", "give --na 'NA'"});
}

TEST_F(PredictionsAudit, WhatIsNoNumberIsToldByWhatHelps) {
  const auto refused = [&](const std::vector<Rows>& rows, const Words& more, const Words& said) {
    workspace.write("t.csv", table_of(rows, "g,y,prediction"));
    const Words words = join("--target y", more);
    expect_refused(words, 3, said);
    EXPECT_THAT(audit(words).err, AllOf(Not(HasSubstr("schema check")), Not(HasSubstr("malform"))));
  };
  const Words number = "--target-type number";
  const std::vector<Rows> gap = {{"a,1.5,1", 2}, {"b,NA,2", 1}, {"b,3,3", 2}};
  refused(gap, number,
          {"t.csv: row 3 (line 4) column 'y' is not a number; if 'NA' marks a missing value, give "
           "--na 'NA'"});
  ok(audit(join("--target y --na NA", number)));
  refused({{"a,1.5,1", 2}, {"b,3," + kSecret, 1}}, number,
          {"row 3 (line 4) column 'prediction' is not a number", "give --na with its text"});
  refused({{"0,1,0.5", 2}, {"0,0,NA", 1}}, "--probability prediction",
          {"column 'prediction' is not a number", "--na 'NA'"});
  refused({{"a,1,1", 2}, {"b,\"1,234.5\",1", 1}}, number,
          {"marks between thousands", "give one with --schema"});
  // Numbers with gaps are no classes.
  workspace.write("t.csv", table_of(gap, "g,y,prediction"));
  expect_refused("--target y", 2, {"predicts numbers that never stand", "--na 'NA'"});
}

// 1,000 of 1,000 and 4 of 4.
TEST_F(PredictionsAudit, GroupsThatAreAlikeAreComparedWithEachOther) {
  workspace.write("t.csv", table_of({{"a,1,1", 500}, {"a,0,0", 500}, {"b,1,1", 2}, {"b,0,0", 2}},
                                    "g,y,prediction"));
  const Json json = json_of(audit("--target y --groups g --json"));
  for (const Json& row : json.at("disparities")) {
    SCOPED_TRACE(row.dump());
    if (row.at("lowest").is_null()) continue;
    EXPECT_NE(row.at("lowest"), row.at("highest"));
  }
  const Json& accuracy = json.at("disparities").at(0);
  EXPECT_EQ(accuracy.at("metric"), "accuracy");
  EXPECT_EQ(accuracy.at("lowest").at("g"), "b");
  EXPECT_NEAR(accuracy.at("difference_between_groups_interval").at(0).get<double>(), -0.004, 5e-4);
  EXPECT_NEAR(accuracy.at("difference_between_groups_interval").at(1).get<double>(), 0.490, 5e-4);
}

// 01 and 1 may be codes of two places.
TEST_F(PredictionsAudit, GroupsAreTexts) {
  workspace.write("t.csv", "g,y,prediction\n01,1,1\n1,0,1\n2,0,0\n01,0,0\n");
  const Json groups = json_of(audit("--target y --groups g --json")).at("groups");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups.at(0).at("group").at("g"), "1");
  EXPECT_EQ(groups.at(0).at("accuracy"), 0.0);
  EXPECT_EQ(groups.at(1).at("group").at("g"), "01");
  EXPECT_EQ(groups.at(1).at("num_records"), 2);
  EXPECT_EQ(groups.at(1).at("accuracy"), 1.0);
}

TEST_F(PredictionsAudit, PredictedNumbersAreWrittenAsOutcomesAre) {
  workspace.write(
      "s.toml", schema_head("d", "y") +
                    numeric_section("y", 0, 10, "whole = true\nthousands = \",\"\nunit = \"$\"\n"));
  workspace.write("t.csv", "y,guess\n\"$1,000\",\"$1,200.5\"\n\"$2,000\",2000\n");
  const Words words = "--schema s.toml --prediction guess";
  const Json json = json_of(audit(join(words, "--json")));
  EXPECT_NEAR(json.at("overall").at("mean_error").get<double>(), 100.25, 1e-3);
  expect_refused(join(words, "--positive 1"), 2, {"--positive", "'y' is a number"});
  workspace.write("t.csv", "y,guess\n1,2\n3," + kSecret + "\n");
  expect_refused(words, 3, {"row 2", "'guess'"});
  expect_refused("--target y --prediction y2 --target-type number --positive 1", 2, "--positive");
}

TEST_F(PredictionsAudit, NumbersAreJudgedAsTheyStand) {
  workspace.write("s.toml", schema_head("d", "y") + categorical_section("g", {"a", "b"}) +
                                numeric_section("y", 0, 10));
  workspace.write("t.csv",
                  "g,y,guess\na,1000000000,1000000001\na,2000000000.5,2000000000.5\n"
                  "b,3,0\nb,5,\"5\"\n");
  for (const Words& more : {Words("--schema s.toml"), Words("--target y --target-type number")}) {
    const Json json = json_of(audit(join("--prediction guess --groups g --json", more)));
    EXPECT_NEAR(json.at("groups").at(0).at("mean_absolute_error").get<double>(), 0.5, 1e-6);
    // To within the rounding of the largest outcome.
    EXPECT_NEAR(json.at("groups").at(1).at("mean_error").get<double>(), -1.5, 1e-6);
    EXPECT_TRUE(json.at("overall").at("loss").is_null());
  }
  workspace.write("t.csv", "g,y,guess\na,1,inf\nb,2,3\n");
  expect_refused("--schema s.toml --prediction guess", 3,
                 {"t.csv: row 1 (line 2) column 'guess' holds an infinite number"});
  expect_refused("--schema s.toml --prediction guess --target-type number", 2,
                 {"--target-type is for a table without --schema"});
}

TEST_F(PredictionsAudit, ASchemaGivesClassesAndGroups) {
  workspace.write("s.toml", schema_head("d", "y") + numeric_section("x", 0, 1) +
                                numeric_section("age", 0, 100) +
                                categorical_section("y", {"no", "yes"}) +
                                band_section("band", "age", "[40]"));
  // No feature is there; one decision is none of the classes.
  workspace.write("t.csv", "age,y,out\n30,yes,yes\n50,no,yes\n60,no," + kSecret + "\n");
  const ToolResult result = audit("--schema s.toml --prediction out --groups band --json");
  const Json json = json_of(result);
  EXPECT_EQ(json.at("groups").at(0).at("accuracy"), 1.0);
  EXPECT_TRUE(json.at("groups").at(1).at("accuracy").is_null());
  EXPECT_EQ(json.at("dataset"), "d");
  EXPECT_THAT(result.out + result.err, Not(HasSubstr(kSecret)));
}

// Of 10 records 8 are of the second class, all predicted rightly but one of the first.
TEST_F(PredictionsAudit, ThePositiveClassIsTheOneThatIsNamed) {
  const std::string head = schema_head("d", "y") + "[columns.y]\n";
  struct Case {
    std::string type;
    Words cells;  // of the first class and of the second one in the table
    Words names;
  };
  for (const Case& c :
       {Case{"type = \"categorical\"\nvalues = [\"0\", \"1\"]\n"
             "labels = { \"0\" = \"Denied\", \"1\" = \"Granted\" }\n",
             {"0", "1"},
             {"Denied", "Granted"}},
        {"type = \"categorical\"\nvalues = [\"0\", \"1\"]\n"
         "labels = { \"0\" = \"Denied\", \"1\" = \"Granted\" }\n",
         {"Denied", "Granted"},
         {"Denied", "Granted"}},
        {"type = \"boolean\"\nlabels = { \"true\" = \"ja\", \"false\" = \"nein\" }\n",
         {"false", "true"},
         {"nein", "ja"}},
        {"type = \"categorical\"\nvalues = [\"no\", \"yes\"]\n", {"no", "yes"}, {"no", "yes"}}}) {
    workspace.write("s.toml", head + c.type);
    const std::string first = c.cells[0];
    const std::string second = c.cells[1];
    workspace.write(
        "t.csv",
        table_of({{first + "," + first, 1}, {first + "," + second, 1}, {second + "," + second, 8}},
                 "y,prediction"));
    for (const size_t positive : {size_t{0}, size_t{1}}) {
      Words texts = {c.names[positive]};
      if (c.cells[0] == "0") texts.push_back(c.cells[positive]);
      for (const std::string& text : texts) {
        const Json json = json_of(audit({"--schema", "s.toml", "--positive", text, "--json"}));
        EXPECT_EQ(json.at("classes").at(1), c.names[positive]) << c.type << text;
        EXPECT_EQ(json.at("overall").at("selection_rate"), positive == 0 ? 0.1 : 0.9)
            << c.type << text;
        EXPECT_EQ(json.at("overall").at("true_positive_rate"), positive == 0 ? 0.5 : 1.0)
            << c.type << text;
      }
    }
    expect_refused("--schema s.toml --positive neither", 2, {"names no class of 'y'"});
  }
}

TEST_F(PredictionsAudit, WhatIsWrongIsSaid) {
  workspace.write("t.csv", table_of(kLoans, "g,y,prediction,p"));
  const Words base = "--target y";
  expect_refused({}, 2, "--target");
  expect_refused("--target yy", 3, {"t.csv: has no column 'yy'"});
  expect_refused("--target y --prediction pred", 3, {"'pred'"});
  expect_refused("--target y --prediction p", 2, {"--score or --probability"});
  expect_refused("--target y --prediction y", 2, {"named for two uses"});
  expect_refused("--target y --score p", 2, {"--score needs a --threshold"});
  expect_refused("--target y --score p --probability p", 2, {"give one"});
  expect_refused("--target y --probability p --threshold 1.5", 2, {"0 to 1"});
  expect_refused("--target y --threshold 0.5", 2, {"--threshold is for columns"});
  expect_refused("--target y --model m", 2, {"excludes"});
  expect_refused("--target y --held-out", 2, {"excludes"});
  expect_refused("--target y --constraint statistical_parity(g)", 2,
                 {"--constraint statistical_parity(g): too few parts"});
  expect_refused("--target y --constraint demographic_parity:h:0.1", 2,
                 {"no attribute \"h\" to group by"});
  expect_refused("--target y --constraint demographic_parity:prediction:0.1", 2,
                 {"no attribute \"prediction\""});
  expect_refused("--target p --prediction g --target-type number --constraint group_error:g:0.1", 3,
                 {"constraints are about predicted classes"});
  expect_refused("--target y --min-ratio accuracy=0.8", 2, "--groups");
  for (const std::string limit : {"accuracy=0", "accuracy=1.2", "accuracy=nan"})
    expect_refused({"--target", "y", "--groups", "g", "--min-ratio", limit}, 2, {"min_ratio"});
  for (const std::string limit : {"loss=0.8", "auc=0.8"})
    expect_refused({"--target", "y", "--groups", "g", "--min-ratio", limit}, 2, {"is no rate"});
  expect_refused("--target y --groups g --min-ratio selection_rate:=0.8", 2,
                 {"METRIC:CLASS=NUMBER"});
  expect_refused("--target y --groups g --min-ratio selection_rate:1=0.8", 2, {"more than two"});
  workspace.write("t.csv", "g,y,p\na,1,0.5\nb,0,1.5\n");
  expect_refused("--target y --probability p", 3,
                 {"t.csv: row 2 (line 3) column 'p' is not a probability"});
  workspace.write("t.csv", "g,y,p\na,1,0.5\nb,0," + kSecret + "\n");
  expect_refused("--target y --probability p", 3, {"t.csv: row 2 (line 3)", "'p'"});
}

// The value of `key` of each class, of everybody or of a group.
std::vector<double> of_classes(const Json& figures, const std::string& key) {
  std::vector<double> values;
  for (const Json& row : figures.at("per_class")) values.push_back(row.at(key).get<double>());
  return values;
}

const std::string kThreeHead = "g,y,prediction,probability of a,probability of b,probability of c";
const std::vector<Rows> kThree = {{"u,a,a,0.7,0.2,0.1", 6}, {"u,b,a,0.5,0.4,0.1", 2},
                                  {"u,c,c,0.1,0.1,0.8", 2}, {"v,a,b,0.3,0.6,0.1", 5},
                                  {"v,c,c,0.2,0.2,0.6", 4}, {"v,b,b,0.1,0.9,0", 1}};

TEST_F(PredictionsAudit, SeveralClassesHaveScoresEach) {
  workspace.write("t.csv", table_of(kThree, kThreeHead));
  const Words words = "--target y --groups g";
  const Json json = json_of(ok(audit(join(words, "--json --out o"))));
  EXPECT_EQ(json.at("predictions").at("probabilities"),
            Json({"probability of a", "probability of b", "probability of c"}));
  EXPECT_NEAR(json.at("overall").at("loss").get<double>(),
              -(6 * std::log(0.7) + 2 * std::log(0.4) + 2 * std::log(0.8) + 5 * std::log(0.3) +
                4 * std::log(0.6) + std::log(0.9)) /
                  20,
              1e-12);
  // Of u: a has 0.7 and others 0.5 or less; b has 0.4 above all others; so has c 0.8.
  EXPECT_EQ(of_classes(json.at("groups").at(0), "auc"), (std::vector<double>{1, 1, 1}));
  // Of 11 of class a 5 are below the 2 of b with 0.5, all are above the others.
  EXPECT_NEAR(of_classes(json.at("overall"), "auc")[0], (11.0 * 9 - 5 * 2) / (11 * 9), 1e-12);
  const std::vector<double> gaps = of_classes(json.at("groups").at(1), "calibration_gap");
  EXPECT_NEAR(gaps[0], (5 * 0.3 + 4 * 0.2 + 0.1) / 10 - 0.5, 1e-12);
  EXPECT_NEAR(gaps[0] + gaps[1] + gaps[2], 0, 1e-12);
  const Json& bins = json.at("groups").at(1).at("per_class").at(2).at("calibration");
  EXPECT_EQ(bins.at(6).at("num_records"), 4);
  EXPECT_EQ(bins.at(6).at("share"), 1.0);
  const auto num_auc = std::count_if(
      json.at("disparities").begin(), json.at("disparities").end(),
      [](const Json& row) { return row.at("metric") == "auc" && row.contains("class"); });
  EXPECT_EQ(num_auc, 3);
  EXPECT_THAT(
      audit(join(words, "--verbose")).out,
      HasAll("Probabilities of each class, by g", "probabilities in columns probability of a"));
  EXPECT_THAT(workspace.text("o/report.html"),
              HasSubstr("Share of class c by its predicted probability"));
  expect_error(audit(join(words, "--max-disparity calibration_gap:a=0.1 --strict")), 5);

  // Names as of pandas, in any order, and without a column of decisions the most probable one.
  workspace.write("t.csv", table_of(kThree, "g,y,out,a,c_,b"));
  const Json named = json_of(
      audit(join(words, "--probabilities {} --probabilities c=b --probabilities b=c_ --json")));
  EXPECT_EQ(named.at("overall").at("per_class"), json.at("overall").at("per_class"));
  EXPECT_EQ(named.at("overall").at("loss"), json.at("overall").at("loss"));
  // Two classes by both columns are as by the second one.
  workspace.write("t.csv", "y,no,yes\nno,0.9,0.1\nyes,0.5,0.5\nyes,0.25,0.75\nno,0.4,0.6\n");
  const Json both = json_of(audit("--target y --probabilities {} --json"));
  const Json one = json_of(audit("--target y --probability yes --json"));
  for (const char* key : {"auc", "calibration_gap", "accuracy", "roc", "calibration"})
    EXPECT_EQ(both.at("overall").at(key), one.at("overall").at(key)) << key;
  EXPECT_EQ(both.at("predictions").at("threshold"), 0.5);
}

TEST_F(PredictionsAudit, AClassOfTheModelNeedNotHappen) {
  workspace.write("t.csv", table_of({{"a,a,0.7,0.2,0.1", 3}, {"b,b,0.1,0.9,0", 2}},
                                    "y,prediction,probability of a,probability of b,"
                                    "probability of c"));
  const Json json = json_of(audit("--target y --json"));
  EXPECT_EQ(json.at("classes"), Json({"a", "b", "c"}));
  EXPECT_TRUE(json.at("overall").at("per_class").at(2).at("auc").is_null());
  EXPECT_NEAR(json.at("overall").at("per_class").at(2).at("calibration_gap").get<double>(), 0.06,
              1e-12);
  // A missing probability is a missing prediction.
  workspace.write("t.csv", table_of({{"a,a,0.7,,0.1", 1}, {"b,b,0.1,0.9,0", 2}, {"c,c,0,0,1", 2}},
                                    "y,prediction,probability of a,probability of b,"
                                    "probability of c"));
  const Json open = json_of(audit("--target y --json"));
  EXPECT_TRUE(open.at("overall").at("accuracy").is_null());
  EXPECT_TRUE(open.at("overall").at("per_class").at(0).at("auc").is_null());
  EXPECT_THAT(Words(open.at("ingest")),
              ::testing::Contains(HasSubstr("1 of 5 judged records have no prediction")));
}

TEST_F(PredictionsAudit, WhatAreNoProbabilitiesOfClassesIsSaid) {
  const Words words = "--target y";
  const auto with_row = [&](const std::string& row) {
    workspace.write("t.csv", table_of(kThree, kThreeHead) + row + "\n");
  };
  with_row("u,a,a,0.8,0.8,0.1");
  expect_refused(words, 3,
                 {"t.csv: row 21 (line 22) columns 'probability of a', 'probability of "
                  "b', 'probability of c'",
                  "do not sum to 1"});
  with_row("u,a,a,1.1,-0.1,0");
  expect_refused(words, 3,
                 {"t.csv: row 21 (line 22) column 'probability of a' is not a probability from 0 "
                  "to 1"});
  with_row("u,a,a,0.5," + kSecret + ",0");
  expect_refused(words, 3, {"row 21 (line 22)", "'probability of b'"});
  // Rounded to two digits.
  with_row("u,a,a,0.33,0.33,0.33");
  ok(audit(words));
  expect_refused(join(words, "--probabilities p_{}"), 3, {"has no column 'p_a'", "class 'a'"});
  expect_refused(join(words, "--probabilities p"), 2, {"CLASS=COLUMN"});
  expect_refused(join(words, "--probabilities a=g --probabilities b=g"), 2,
                 {"column g is named twice"});
  expect_refused(join(words, "--probabilities {} --probabilities {}x"), 2,
                 {"more than one name holds {}"});
  expect_refused(join(words, "--probabilities {} --score g"), 2, "--probabilities");
  expect_refused(join(words, {"--probabilities", "probability of {}", "--threshold", "0.5"}), 2,
                 {"two classes; 'y' has 3"});
  expect_refused(join(words, {"--groups", "probability of a"}), 2, {"holds the predictions"});
  expect_refused(join(words, {"--constraint", "demographic_parity:probability of a:0.1"}), 2,
                 {"a constraint on probability of a"});
  workspace.write("t.csv",
                  "y,prediction,probability of a,probability of b,probability of c,"
                  "probability of c\na,a,1,0,0,0\nb,b,0,1,0,0\nc,c,0,0,1,0\n");
  expect_refused(words, 3, {"column 'probability of c' twice"});
  // One class without a column: nobody asked for the others.
  workspace.write("t.csv", table_of(kThree, "g,y,prediction,probability of a,probability of b,c"));
  const Json json = json_of(audit(join(words, "--json")));
  EXPECT_EQ(json.at("predictions").at("probabilities"), Json::array());
  EXPECT_THAT(Words(json.at("warnings")),
              ::testing::Contains(
                  HasAll("class 'c' of 'y' has none", "--schema that lists those it knows")));
  // The model knows no such class, and both ways that are named work.
  const Words asked = join(words, {"--probabilities", "probability of {}"});
  workspace.write("t.csv", table_of({{"a,a,0.7,0.3", 3}, {"b,b,0.2,0.8", 3}, {"c,a,0.6,0.4", 1}},
                                    "y,prediction,probability of a,probability of b"));
  expect_refused(
      asked, 3,
      {"of class 'c' of 'y'", "leave --probabilities out", "a --schema that lists those it knows"});
  ok(audit(words));
  workspace.write("s.toml", schema_head("d", "y") + categorical_section("y", {"a", "b"}));
  ok(audit(join(asked, "--schema s.toml")));
}

/// 40 of 100 of b and 80 of a are selected; of those with label 0 all of a and none of b.
TEST_F(PredictionsAudit, ConstraintsAreChecked) {
  workspace.write("t.csv", table_of(kLoans, "g,y,prediction,p"));
  const auto checks = [&](const Words& more) {
    const ToolResult result = audit(join("--target y --json", more));
    const Json found = json_of(result).at("constraints");
    const bool any_fails = std::any_of(found.begin(), found.end(), [](const Json& constraint) {
      return constraint.at("verdict") == "fails";
    });
    EXPECT_EQ(result.exit_code, any_fails ? 5 : 0) << result;
    return found;
  };
  const Json parity = checks("--constraint demographic_parity:g:0.1");
  ASSERT_EQ(parity.size(), 2U);
  EXPECT_NEAR(parity.at(0).at("value").get<double>(), 0.4, 1e-12);
  EXPECT_EQ(parity.at(0).at("verdict"), "fails");
  EXPECT_EQ(parity.at(0).at("origin"), "audit");
  EXPECT_LT(parity.at(0).at("value_interval").at(0).get<double>(), 0.4);
  EXPECT_EQ(parity.at(1).at("verdict"), "holds");
  EXPECT_EQ(checks("--constraint fnr:g=b:0.3").at(0).at("verdict"), "unclear");
  EXPECT_EQ(checks("--constraint fnr:g=a:0.3 --probability p").at(0).at("verdict"), "holds");
  EXPECT_EQ(checks("--constraint equalized_odds:g:0.1").size(), 4U);
  EXPECT_EQ(checks("--constraint equalized_odds:g:0.1 --groups g"),
            checks("--constraint equalized_odds:g:0.1"));
  // The same by a schema, with an attribute of its own.
  workspace.write("s.toml", schema_head("d", "y") + categorical_section("y", {"0", "1"}) +
                                categorical_section("g", {"a", "b", "c"}) +
                                numeric_section("other", 0, 1) +
                                "[groups.is_a]\ncolumn = \"g\"\nvalues = [\"a\"]\nrest = \"no\"\n");
  const Json described = checks("--schema s.toml --constraint demographic_parity:is_a:0.1");
  EXPECT_EQ(described.at(0).at("value"), parity.at(0).at("value"));
  // Nobody is in group c.
  const Json of_nobody = checks("--schema s.toml --constraint fnr:g=c:0.3");
  EXPECT_TRUE(of_nobody.at(0).at("value").is_null());
  EXPECT_TRUE(of_nobody.at(0).at("value_interval").at(0).is_null());
  EXPECT_TRUE(of_nobody.at(0).at("holds").is_null());
  EXPECT_EQ(of_nobody.at(0).at("verdict"), "not answerable");
  workspace.write("c.toml",
                  "[[constraint]]\ntype = \"rate_bound\"\nmetric = \"fnr\"\n"
                  "where = {g = \"b\"}\nmax = 0.3\n");
  EXPECT_EQ(checks("--constraints c.toml"), checks("--constraint fnr:g=b:0.3"));
  EXPECT_THAT(audit("--target y --constraint fnr:g=b:0.3").out,
              HasSubstr("P(0 | g=b, label=1) <= 0.3  0.3333"));

  // A prediction that is missing leaves all of it open, and a missing attribute is a value.
  workspace.write("t.csv", "g,y,prediction\na,1,1\n,1,1\nb,1,\nb,0,0\n");
  EXPECT_EQ(checks("--constraint fnr:g=a:0.3").at(0).at("verdict"), "not answerable");
  workspace.write("t.csv", "g,y,prediction\na,1,1\n,1,1\nb,1,0\nb,0,0\n");
  EXPECT_EQ(checks("--constraint fnr:g=missing:0.3").at(0).at("value"), 0.0);
  // Weights and several classes.
  workspace.write("t.csv", "g,y,prediction,w\na,1,1,1\na,1,0,3\nb,1,1,1\nb,0,0,1\n");
  EXPECT_EQ(checks("--constraint fnr:g=a:0.3 --weight-column w").at(0).at("value"), 0.75);
  workspace.write("t.csv", table_of(kThree, kThreeHead));
  const Json several = checks("--constraint group_error:g:0.3");
  EXPECT_NEAR(several.at(0).at("value").get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(several.at(1).at("value").get<double>(), 0.5, 1e-12);
}

// Predictions of our own tool go straight in.
TEST_F(PredictionsAudit, AgreesWithTheAuditOfTheModel) {
  workspace.open_ledger();
  ok(workspace.train("--method sgd --out m"));
  const Json of_model =
      json_of(workspace.run("audit --model m --data people.csv --groups sex --json"));
  ok(workspace.run("predict --model m --data people.csv --out p.csv"));
  std::ifstream people(workspace.path("people.csv"));
  std::ifstream predicted(workspace.path("p.csv"));
  std::string joined;
  for (std::string a, b; std::getline(people, a) && std::getline(predicted, b);)
    joined += a + "," + b + "\n";
  workspace.write("t.csv", joined);
  const Json json =
      json_of(audit({"--schema", "people.toml", "--prediction", "prediction", "--probability",
                     "probability of yes", "--groups", "sex", "--json"}));
  for (size_t i = 0; i < 2; ++i) {
    for (const char* key : {"num_records", "accuracy", "selection_rate", "true_positive_rate"})
      EXPECT_EQ(json.at("groups").at(i).at(key), of_model.at("groups").at(i).at(key)) << key;
    for (const char* key : {"auc", "loss", "calibration_gap"})
      EXPECT_NEAR(json.at("groups").at(i).at(key).get<double>(),
                  of_model.at("groups").at(i).at(key).get<double>(), 1e-9)
          << key;
    EXPECT_EQ(json.at("groups").at(i).at("roc").size(),
              of_model.at("groups").at(i).at("roc").size());
  }
}

// Probabilities of several classes are found by the names that predict gives them.
TEST_F(PredictionsAudit, AgreesWithTheAuditOfAModelOfSeveralClasses) {
  workspace.write("people.toml",
                  replaced(people_schema(), "\"label\"\n[public]", "\"city\"\n[public]"));
  workspace.open_ledger();
  ok(workspace.train("--method sgd --model softmax --out m"));
  const Words limits = "--groups sex --constraint group_error:sex:0.5 --json";
  const Json of_model = json_of(workspace.run(join("audit --model m --data people.csv", limits)));
  ok(workspace.run("predict --model m --data people.csv --keep city,sex --out t.csv"));
  for (const Words& more : {Words("--schema people.toml"), Words("--target city")}) {
    const Json json = json_of(audit(join(limits, more)));
    for (size_t i = 0; i < 2; ++i) {
      const Json& found = json.at("groups").at(i);
      const Json& expected = of_model.at("groups").at(i);
      EXPECT_EQ(found.at("accuracy"), expected.at("accuracy"));
      EXPECT_NEAR(found.at("loss").get<double>(), expected.at("loss").get<double>(), 1e-9);
      const bool is_in_order = more[0] == "--schema";
      for (const char* key : {"auc", "calibration_gap", "selection_rate"}) {
        std::vector<double> a = of_classes(found, key);
        std::vector<double> b = of_classes(expected, key);
        if (!is_in_order) {
          std::sort(a.begin(), a.end());
          std::sort(b.begin(), b.end());
        }
        for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-9) << key;
      }
      EXPECT_EQ(found.at("per_class").at(0).at("roc").empty(), false);
      EXPECT_EQ(json.at("constraints").at(i).at("value"),
                of_model.at("constraints").at(i).at("value"));
    }
  }
}

// predict writes commas and UTF-8, and carries cells along as they are.
TEST_F(PredictionsAudit, TheSchemaMayDescribeATableOfAnotherLayout) {
  std::string csv = people_csv();
  std::replace(csv.begin(), csv.end(), ',', ';');
  for (size_t at = 0; (at = csv.find("north", at)) != csv.npos;) csv.replace(at, 5, "n\xf6rd");
  workspace.write("people.csv", csv);
  workspace.write("people.toml",
                  replaced(replaced(people_schema(), "\"north\"", "\"n\xc3\xb6rd\""), "[public]",
                           "[table]\ndelimiter = \";\"\ndecimal_comma = true\nencoding = "
                           "\"latin1\"\n[public]"));
  workspace.open_ledger();
  ok(workspace.train("--method sgd --out m"));
  const Json of_model =
      json_of(workspace.run("audit --model m --data people.csv --groups city --json"));
  ok(workspace.run("predict --model m --data people.csv --keep city,label --out t.csv"));
  const Json json = json_of(audit({"--schema", "people.toml", "--probability", "probability of yes",
                                   "--groups", "city", "--target", "label", "--json"}));
  for (size_t i = 0; i < 3; ++i) {
    for (const char* key : {"num_records", "accuracy", "true_positive_rate"})
      EXPECT_EQ(json.at("groups").at(i).at(key), of_model.at("groups").at(i).at(key)) << key;
  }
}

/// 1.234,50
std::string with_marks(double number, const std::string& thousands) {
  std::string text = fmt::format("{:.2f}", number);
  std::replace(text.begin(), text.end(), '.', ',');
  if (number >= 1000) text.insert(text.find(',') - 3, thousands);
  return text;
}

// Draft, train, predict and audit write and read numbers in one way.
TEST_F(PredictionsAudit, PredictedNumbersAreWrittenAsTheTableWritesThem) {
  for (const std::string thousands : {"", "."}) {
    SCOPED_TRACE(thousands);
    std::string csv = "x;g;y\n";
    for (int i = 0; i < 300; ++i) {
      csv += with_marks(i * 0.25, "") + (i % 3 == 0 ? ";a;" : ";b;") +
             with_marks(400 + 7.31 * (i * 37 % 211) + 2 * i, thousands) + "\n";
    }
    workspace.write("bank.csv", csv);
    const ToolResult draft = ok(workspace.run("schema draft --data bank.csv --target y --quiet"));
    EXPECT_EQ(draft.out.find("thousands = \".\"") != std::string::npos, thousands == ".");
    workspace.write("bank.toml", replaced(draft.out, "reviewed = false", "reviewed = true"));
    ok(workspace.run(
        "train --schema bank.toml --data bank.csv --method sgd --steps 20 --out m --force"));
    const Words predict = "predict --model m --data bank.csv --force";
    ok(workspace.run(join(predict, "--keep y,g --out t.csv")));
    EXPECT_THAT(workspace.text("t.csv"), ContainsRegex("\n1,\"400,00\",a,\"[0-9]+,[0-9]+\"\n"));
    const Json of_model =
        json_of(workspace.run("audit --model m --data bank.csv --groups g --json"));
    Words with_schema = "--schema bank.toml --groups g --json";
    std::vector<Json> audits = {json_of(audit(with_schema))};
    // Without thousands nobody needs a schema, and points are read, too, as other programs write.
    if (thousands.empty()) {
      audits.push_back(json_of(audit("--target y --target-type number --groups g --json")));
      std::string points = workspace.text("t.csv");
      points = std::regex_replace(points, std::regex(",\"([0-9]+),([0-9]+)\"\n"), ",$1.$2\n");
      workspace.write("t.csv", points);
      audits.push_back(json_of(audit(with_schema)));
    }
    for (const Json& json : audits) {
      for (size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(json.at("groups").at(i).at("rmse").get<double>(),
                    of_model.at("groups").at(i).at("rmse").get<double>(), 1e-3)
            << json.dump();
      }
    }
  }
}

}  // namespace
}  // namespace equinoise::testing::predictions_audit_test
