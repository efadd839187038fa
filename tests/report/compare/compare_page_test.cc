// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "equinoise/report/compare/compare_report.h"
#include "tests/matchers.h"
#include "tests/report/compare/sample_comparison.h"

namespace equinoise::compare_page_test {

TEST(CompareHtml, ThePageTellsItsStoryInOrder) {
  const std::string page = to_page(compare_document(sample_comparison()));
  size_t last = 0;
  for (const char* text : {"NOT PRIVATE: publishable only because --public-data",
                           "In short",
                           "Models of income trained by ags, dpsgd, mgr_w, sgd from the 48,842",
                           "This page may leave the house if the records are public",
                           "the schema is not reviewed",
                           "Best methods",
                           "id=\"best-1-title\"",
                           "id=\"best-2-title\"",
                           "What was compared",
                           "Models of income trained by ags, dpsgd, mgr_w, sgd from the 48,842",
                           "Recommendation",
                           "at epsilon 3, dpsgd is recommended",
                           "All methods",
                           "dominated by dpsgd",
                           "The best constant prediction has error 24.0 %.",
                           "ags at epsilon 3 failed: its loss is not finite",
                           "Best methods overall",
                           "id=\"overall-1-title\"",
                           "Who pays",
                           "id=\"payers-1-1-title\"",
                           "Privacy of a paid run",
                           "Not compared",
                           "mgr: it needs two classes",
                           "fairlens at epsilon 1: its noise is ruinous",
                           "What plans warn of",
                           "the noise is large",
                           "Reading the table",
                           "How to repeat it",
                           "equinoise compare --groups sex",
                           "compare.json"}) {
    const size_t place = page.find(text, last);
    ASSERT_NE(place, std::string::npos) << text;
    last = place;
  }
  EXPECT_THAT(page, AllOf(Not(HasSubstr(">nan")), Not(HasSubstr("nan%"))));
}

TEST(CompareHtml, OfRecordsThatAreNotPublicNothingIsRecommended) {
  const std::string page = to_page(compare_document(sample_private_comparison()));
  EXPECT_THAT(page, AllOf(HasSubstr("do not publish"), HasSubstr("Do not use these figures"),
                          HasSubstr("no method is recommended: choosing by exact"),
                          HasSubstr("Not private, do not publish"),
                          Not(HasSubstr("publishable only because"))));
}

/// What was computed from records stands in no section that is marked as publishable.
TEST(CompareHtml, FiguresAreFenced) {
  CompareReport report = sample_private_comparison();
  for (CompareRow& row : report.rows) {
    for (Estimate* figure : {&row.overall, &row.worst_group, &row.gap}) figure->value = 0.7317317;
    for (Estimate& error : row.group_errors) error.value = 0.7317317;
    row.seconds.value = 7317317;
    row.dominated_by = "CANARY";
    row.dominated = true;
    if (!row.problem.empty()) row.problem = "CANARY";
  }
  report.constant.value = 0.7317317;
  report.ingest_notes = {"CANARY"};
  const std::string page = to_page(compare_document(report));
  size_t num_open = 0;
  for (size_t at = page.find("<section>"); at != std::string::npos;
       at = page.find("<section>", at + 1)) {
    const std::string section = page.substr(at, page.find("</section>", at) - at);
    if (section.find("fence open") == std::string::npos) continue;
    ++num_open;
    for (const char* secret : {"73.2", "7,317,317", "CANARY"})
      EXPECT_THAT(section, Not(HasSubstr(secret)));
  }
  EXPECT_GE(num_open, 4U);
  EXPECT_THAT(page, AllOf(HasSubstr("73.2"), HasSubstr("7,317,317"), HasSubstr("CANARY")));
}

/// The order of rows follows from exact errors.
TEST(CompareHtml, PublishableSectionsDoNotTellWhoIsBetter) {
  const auto open_sections = [](const CompareReport& report) {
    const std::string page = to_page(compare_document(report));
    std::string text;
    for (size_t at = page.find("<section>"); at != std::string::npos;
         at = page.find("<section>", at + 1)) {
      const std::string section = page.substr(at, page.find("</section>", at) - at);
      if (section.find("fence open") != std::string::npos) text += section;
    }
    return text;
  };
  CompareReport report = sample_private_comparison();
  const std::string before = open_sections(report);
  EXPECT_THAT(before, AllOf(HasSubstr("by ags, dpsgd, mgr_w, sgd from"), HasSubstr("mgr_w")));
  std::swap(report.rows[0], report.rows[1]);
  std::swap(report.rows[2], report.rows[3]);
  EXPECT_EQ(open_sections(report), before);
}

TEST(CompareHtml, APrivateNumberOfRecordsIsNotTold) {
  CompareReport report = sample_comparison();
  report.num_records.reset();
  EXPECT_THAT(to_page(compare_document(report)),
              HasSubstr("from the records of the dataset people"));
}

/// With one seed nothing is known of chance.
TEST(CompareHtml, SaysNothingOfIntervalsThatDoNotExist) {
  CompareReport report = sample_comparison();
  report.num_seeds = 1;
  report.num_comparisons = 0;
  for (CompareRow& row : report.rows) {
    row.dominated.reset();
    for (Estimate* figure : {&row.overall, &row.worst_group, &row.gap})
      figure->interval = Estimate().interval;
    for (Estimate& error : row.group_errors) error.interval = Estimate().interval;
  }
  const std::string page = to_page(compare_document(report));
  EXPECT_THAT(page, AllOf(HasSubstr("one seed shows no chance"), Not(HasSubstr("Bars are")),
                          Not(HasSubstr("Intervals cover")), Not(HasSubstr("[95 %]")),
                          Not(HasSubstr("[-, -]")), Not(HasSubstr("95 % interval"))));
}

/// Errors of groups with few records are the largest by chance.
TEST(CompareHtml, DrawsGroupsThatCountBeforeOthers) {
  CompareReport report = sample_comparison();
  for (int i = 0; i < 100; ++i)
    report.groups.push_back({{{"race", "few" + std::to_string(i)}}, "race", 5, false});
  report.groups.push_back({{{"race", "White"}}, "race", 5000, true});
  for (CompareRow& row : report.rows) {
    if (row.group_errors.empty()) continue;
    row.group_errors.resize(103, {0.9, {0.8, 1}});
    row.group_errors.push_back({0.1, {0.05, 0.15}});
    row.group_privacy.resize(104);
  }
  const std::string page = to_page(compare_document(report));
  const size_t chart = page.find("Error by race at epsilon 1");
  EXPECT_THAT(page.substr(chart, page.find("<table", chart) - chart),
              AllOf(HasSubstr(">White<"), HasSubstr("counted ones and large errors first")));
}

TEST(CompareHtml, WhoPaysIsDrawnOfThoseThatStandAndListedOfAll) {
  const std::string page = to_page(compare_document(sample_comparison()));
  const size_t chart = page.find("Error by sex at epsilon 3");
  const size_t table = page.find("<table", chart);
  const std::string drawn = page.substr(chart, table - chart);
  EXPECT_THAT(drawn,
              AllOf(HasSubstr("20.0 [19.0, 21.5]"), HasSubstr(">dpsgd<"), Not(HasSubstr("mgr_w"))));
  const std::string listed = page.substr(table, page.find("</table>", table) - table);
  EXPECT_THAT(listed, AllOf(HasSubstr("mgr_w max_grad_norm=0.5 optimizer=adam"), HasSubstr("sgd"),
                            HasSubstr("4,000"), HasSubstr("Male")));
  EXPECT_THAT(page, HasSubstr("Other (not counted)"));
}

/// One row that is far off would press all others together.
TEST(CompareHtml, RowsNoBetterThanTheBaselineAreListedAndNotDrawn) {
  CompareReport report = sample_comparison();
  report.rows[3].overall.value = 0.5;
  const std::string page = to_page(compare_document(report));
  EXPECT_THAT(page, HasSubstr("Not drawn at epsilon 3, because the overall error is no smaller "
                              "than that of the best constant prediction (24.0 %): mgr_w "
                              "max_grad_norm=0.5 optimizer=adam (50.0 %)."));
  EXPECT_THAT(page, Not(HasSubstr("Not drawn at epsilon 1")));
}

TEST(CompareHtml, WithoutACountedGroupTheOverallErrorIsDrawn) {
  CompareReport report = sample_comparison();
  for (CompareGroup& group : report.groups) group.is_counted = false;
  const std::string page = to_page(compare_document(report));
  EXPECT_THAT(page, AllOf(HasSubstr("Overall error at epsilon 1: difference to the best method"),
                          Not(HasSubstr("Error in the worst group")),
                          HasSubstr("The best constant prediction has error")));
  report.groups.clear();
  for (CompareRow& row : report.rows) row.group_errors.clear();
  EXPECT_THAT(to_page(compare_document(report)),
              HasSubstr("No groups were requested; with --groups"));
  report.task = CompareTask::kMeans;
  EXPECT_THAT(to_page(compare_document(report)), HasSubstr("No groups were requested; with --by"));
}

TEST(CompareHtml, DifferencesToTheBestAreDrawn) {
  CompareReport report = sample_comparison();
  report.groups.clear();
  report.advice.clear();
  report.rows.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    CompareRow& row = report.rows[i];
    row.method = i == 0 ? "second" : "first";
    row.options.clear();
    row.epsilon = 3;
    row.group_errors.clear();
    row.overall = {i == 0 ? 0.12 : 0.10, {0, 0.3}};
  }
  report.rows[0].overall_above_best = {0.02, {0.01, 0.03}};
  report.rows[1].overall_above_best.value = 0;
  const std::string page = to_page(compare_document(report));
  EXPECT_THAT(page, AllOf(HasSubstr("best: first"), HasSubstr("2.0 [1.0, 3.0]"),
                          HasSubstr("Overall error at epsilon 3: smallest with first, 10.0 %;")));
}

TEST(CompareHtml, ConstraintsAreShownWhereThereAreSome) {
  CompareReport report = sample_comparison();
  EXPECT_THAT(to_page(compare_document(report)), Not(HasSubstr("less its slack")));
  report.has_constraints = true;
  report.rows[0].violation = {0.125, {0.0625, 0.25}};
  report.rows[1].violation = {-0.5, {-0.75, -0.25}};
  EXPECT_THAT(to_page(compare_document(report)),
              AllOf(HasSubstr("<td>over</td>"), HasSubstr("<td>kept</td>"),
                    HasSubstr("0.0625 to 0.2500"), HasSubstr("not answerable")));
}

/// Names in a comparison come from schemas and command lines.
TEST(CompareHtml, NamesAreText) {
  CompareReport report = sample_comparison();
  const std::string bad = "<script>alert(1)</script>";
  report.dataset = report.target = report.error = report.baseline = report.command = bad;
  report.groups[0].group[0].second = report.groups[0].columns = bad;
  report.rows[0].options = {{bad, bad}};
  report.rows[0].method = report.skipped[0].method = report.skipped[0].reason = bad;
  report.warnings = report.ingest_notes = report.files = {bad};
  report.advice[0].sentence = bad;
  EXPECT_THAT(to_page(compare_document(report)), Not(HasSubstr("<script>alert")));
}

TEST(CompareHtml, ManyGroupsAndMethodsStayReadable) {
  CompareReport report = sample_comparison();
  const CompareRow row = report.rows[0];
  report.rows.clear();
  report.groups.clear();
  report.advice.clear();
  for (int k = 0; k < 200; ++k)
    report.groups.push_back({{{"city", "town " + std::to_string(k)}}, "city", 100, true});
  for (int i = 0; i < 10; ++i) {
    CompareRow& added = report.rows.emplace_back(row);
    added.method = "method" + std::to_string(i);
    added.group_errors.assign(200, {0.25, {0.125, 0.5}});
    added.group_errors[150].value = 0.4;
    added.group_privacy.resize(200);
  }
  const std::string page = to_page(compare_document(report));
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_THAT(page,
              AllOf(HasSubstr("Of 200 groups, 12 are drawn, counted ones and large errors first."),
                    HasSubstr("Of 10 methods that are not dominated, 5 are drawn"),
                    HasSubstr("Of 200 groups, 60 are listed, counted ones and large errors first"),
                    HasSubstr("town 150")));
}

}  // namespace equinoise::compare_page_test
