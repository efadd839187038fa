// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "equinoise/report/compare/compare_report.h"
#include "tests/matchers.h"

namespace equinoise::compare_tables_test {

/// One method at two epsilons, the second undefined, and a group that counts.
CompareReport sample() {
  CompareReport report;
  report.target = "income";
  report.error = "share of held-out records with a wrong income";
  report.num_seeds = 2;
  report.is_public = true;
  report.groups = {{{{"sex", "F, or M"}}, "sex", 100, true}};
  for (const double epsilon : {1.0, 3.0}) {
    CompareRow& row = report.rows.emplace_back();
    row.method = "dpsgd";
    row.options = {{"max_grad_norm", 0.5}};
    row.epsilon = epsilon;
    row.group_privacy.resize(1);
    row.runs.emplace_back().groups = {0.125};
    report.advice.push_back({epsilon, {}, "no method is clearly better"});
  }
  report.rows[0].overall.value = 0.25;
  report.rows[0].dominated = false;
  report.skipped = {{"mgr", "it needs groups", {}}, {"ags", "it needs groups", {}}};
  return report;
}

TEST(CompareText, ShowsWhatIsUndefinedAsSuch) {
  const std::string text = to_screen(compare_document(sample()));
  EXPECT_THAT(text, AllOf(HasSubstr("undefined in some run"), HasSubstr("25.0"),
                          HasSubstr("\nmgr, ags: it needs groups\n")));
  const nlohmann::ordered_json json = compare_to_json(sample());
  EXPECT_EQ(json.at("rows")[0].at("overall"), 0.25);
  EXPECT_TRUE(json.at("rows")[1].at("overall").is_null());
  EXPECT_TRUE(json.at("rows")[1].at("dominated").is_null());
}

/// A row is named as recommended only where it is at every epsilon.
TEST(CompareText, RecommendsOneRowForAllEpsilonsOrNone) {
  CompareReport report = sample();
  report.advice[0].row = 0;
  EXPECT_TRUE(compare_to_json(report).at("recommended").is_null());
  report.advice[1].row = 1;
  EXPECT_EQ(compare_to_json(report).at("recommended"), "dpsgd max_grad_norm=0.5");
  report.rows[1].options.clear();
  EXPECT_TRUE(compare_to_json(report).at("recommended").is_null());
}

TEST(CompareText, IsFencedUnlessTheTableIsPublic) {
  CompareReport report = sample();
  EXPECT_THAT(to_screen(compare_document(report)), Not(HasSubstr("do not publish them")));
  EXPECT_FALSE(compare_to_json(report).contains("notice_of_choice"));
  EXPECT_THAT(compare_to_json(report).at("notice").dump(), HasSubstr("NOT PRIVATE"));
  EXPECT_EQ(compare_to_json(report).at("public_data"), true);
  report.is_public = false;
  EXPECT_TRUE(compare_to_json(report).contains("notice"));
  EXPECT_TRUE(compare_to_json(report).contains("notice_of_choice"));
  EXPECT_THAT(to_screen(compare_document(report)),
              AllOf(HasSubstr("do not publish them"),
                    HasSubstr("Recommendation (publishable)\n" + wrapped(kWhyNoAdvice))));
}

TEST(CompareText, SpeaksOfTheWorstGroupOnlyWhereOneCounts) {
  CompareReport report = sample();
  report.num_comparisons = 2;
  EXPECT_THAT(
      to_screen(compare_document(report)),
      AllOf(HasSubstr("smaller error in one of"), HasSubstr("for all 2 comparisons together")));
  report.num_comparisons = 1;
  report.groups[0].is_counted = false;
  EXPECT_THAT(to_screen(compare_document(report)), AllOf(Not(HasSubstr("smaller error in one of")),
                                                         Not(HasSubstr("comparisons together"))));
}

TEST(CompareText, NamesWhoDoesNotProtectGroups) {
  CompareReport report = sample();
  for (CompareRow& row : report.rows) row.public_groups = {"sex"};
  EXPECT_THAT(
      to_screen(compare_document(report)),
      HasSubstr("Not protected by dpsgd max_grad_norm=0.5: which group by sex anyone is in."));
}

TEST(CompareCsv, QuotesNamesAndLeavesUndefinedCellsEmpty) {
  EXPECT_THAT(compare_to_csv(sample()),
              AllOf(HasSubstr("\ndpsgd,max_grad_norm=0.5,1,0,,,,,,,,,\n"),
                    HasSubstr("\ndpsgd,max_grad_norm=0.5,1,0,sex,\"F, or M\",1,0.125,,,,,\n")));
}

}  // namespace equinoise::compare_tables_test
