// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/terms_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equinoise/report/json.h"
#include "tests/report/sample_reports.h"

namespace equinoise::terms_page_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TrainingReport additive_report() {
  TrainingReport report = sample_report();
  report.terms = sample_terms();
  return report;
}

TEST(TermsPage, DrawsWhatAddsSomething) {
  const std::string page = to_page(training_document(additive_report()));
  EXPECT_THAT(page, AllOf(HasSubstr("log odds of income = high"), HasSubstr("id=\"term-1-title\""),
                          HasSubstr("id=\"term-3-title\""), Not(HasSubstr("id=\"term-4-title\"")),
                          HasSubstr("17 to 24: -0.750 to -0.250, 25.0 % of records"),
                          HasSubstr("hold noise"), Not(HasSubstr("<b>boss"))));
}

TEST(TermsPage, TheCardHasTheTableAndAllParts) {
  const TrainingReport report = additive_report();
  EXPECT_THAT(to_card(training_card(report)),
              AllOf(HasSubstr("| age | start of 17 to 24 (-0.750) | 25 to 90 (+0.125) | 0.250 |"),
                    HasSubstr("doubles the odds")));
  const auto terms = card_to_json(report)["terms"];
  ASSERT_EQ(terms.size(), 4);
  EXPECT_EQ(terms[1]["parts"][0]["at_end"][0], -0.25);
  EXPECT_FALSE(terms[0]["parts"][0].contains("from"));
  EXPECT_FALSE(card_to_json(sample_report()).contains("terms"));
}

/// One number of a bin may have nearly all of its records.
TEST(TermsPage, SharesWithinABinAreNotThoseOfItsNumbers) {
  TrainingReport report = additive_report();
  const auto says_so = HasSubstr("Shares are spread evenly over the numbers of a bin");
  EXPECT_THAT(to_card(training_card(report)), says_so);
  EXPECT_THAT(to_page(training_document(report)), says_so);
  report.terms.resize(1);
  ASSERT_FALSE(report.terms[0].parts[0].from) << "categories have no bins";
  EXPECT_THAT(to_card(training_card(report)), Not(says_so));
}

TEST(TermsPage, MonotoneColumnsAreNamed) {
  TrainingReport report = additive_report();
  report.terms[1].monotone = "increasing";
  report.terms[2].monotone = "decreasing";
  for (const std::string& text :
       {to_card(training_card(report)), to_page(training_document(report))})
    EXPECT_THAT(text, AllOf(HasSubstr("Larger values of age never lower the log odds of income"),
                            HasSubstr("Larger values of gain never raise the log odds")));
  EXPECT_EQ(card_to_json(report)["terms"][1]["monotone"], "increasing");
  EXPECT_FALSE(card_to_json(report)["terms"][0].contains("monotone"));
}

TEST(TermsPage, APairIsAHeatMap) {
  TrainingReport report = additive_report();
  report.terms = {{{"age", "sex"},
                   0.2,
                   {{{"age=17 to 24", "sex=F"}, {}, {}, 0.25, {-0.5}},
                    {{"age=17 to 24", "sex=M"}, {}, {}, 0.25, {0.5}},
                    {{"age=25 to 90", "sex=F"}, {}, {}, 0.25, {0.25}},
                    {{"age=25 to 90", "sex=M"}, {}, {}, 0.25, {-0.125}}}}};
  const std::string page = to_page(training_document(report));
  EXPECT_THAT(page, AllOf(HasSubstr("<th scope=\"col\">sex=M</th>"),
                          HasSubstr("<th scope=\"row\">age=25 to 90</th>"),
                          HasSubstr("class=\"below\" style=\"--heat: 45.0%\">-0.500"),
                          HasSubstr("class=\"above\" style=\"--heat: 22.5%\">0.250")));
}

TEST(TermsPage, MoreClassesHaveATableOfEach) {
  TrainingReport report = additive_report();
  report.classes = {"low", "middle", "high"};
  report.terms = {{{"job"},
                   0.5,
                   {{{"clerk"}, {}, {}, 0.5, {1, 0, -1}}, {{"boss"}, {}, {}, 0.5, {-1, 0.25, 1}}}}};
  report.privacy.reset();
  report.status = PrivacyStatus::kNotPrivate;
  const std::string page = to_page(training_document(report));
  EXPECT_THAT(page, AllOf(HasSubstr("most for middle"), HasSubstr("boss (+0.25)"),
                          Not(HasSubstr("term-1-title")), Not(HasSubstr("hold noise"))));
}

}  // namespace
}  // namespace equinoise::terms_page_test
