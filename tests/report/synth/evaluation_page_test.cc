// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "equinoise/report/synth/evaluation_report.h"
#include "tests/matchers.h"
#include "tests/report/synth/sample_evaluation.h"
#include "tests/test_support.h"

namespace equinoise::evaluation_page_test {

using testing::sample_evaluation;

TEST(EvaluationPage, AScreenIsShortAndNarrow) {
  const SynthEvaluateReport report = sample_evaluation();
  std::istringstream screen(to_screen(evaluation_document(report)));
  size_t num_lines = 0;
  for (std::string line; std::getline(screen, line); ++num_lines)
    EXPECT_LE(line.size(), 160U) << line;
  EXPECT_LE(num_lines, 30 + report.parity->groups.size());
}

TEST(EvaluationPage, AScreenHasALineForEachGroup) {
  const std::string screen = to_screen(evaluation_document(sample_evaluation()));
  EXPECT_THAT(screen,
              AllOf(HasSubstr("\nF               100     0          2.0000"),
                    HasSubstr("largest relative error of a mean"), HasSubstr("0.0250 (age)"),
                    HasSubstr("of means 0.1250 (largest relative error 0.2500: age, F)."),
                    HasSubstr("\nX                 0     0"), HasSubstr("No synthetic rows of F;"),
                    HasSubstr("NOT PRIVATE"), Not(HasSubstr("Second half:"))));
}

TEST(EvaluationPage, AllOfThePageIsPrintedVerbosely) {
  const std::string all = to_screen(evaluation_document(sample_evaluation()), true);
  EXPECT_THAT(all, AllOf(HasSubstr("Errors of single columns"), HasSubstr("Second half:"),
                         HasSubstr("Means of age are of the 290 of 300 real records"),
                         HasSubstr("The group with the largest workload error is F: 2.0000"),
                         HasSubstr("Missing cells of features count as numbers: age as 20.")));
}

TEST(EvaluationPage, SaysWhereTheTargetIsFurthestOffBeyondSampling) {
  SynthEvaluateReport report = sample_evaluation();
  report.learner->target = "pay";
  EXPECT_THAT(to_screen(evaluation_document(report)), Not(HasSubstr("beyond sampling")));
  SynthParity& parity = *report.parity;
  report.learner->target = "label";
  parity.means->columns[1].overall.column = "label=yes";
  for (EvaluatedGroup& group : parity.groups) group.means[1].column = "label=yes";
  parity.groups[0].means[1] = {"label=yes", 0.25, 0.75, 8, 4, {}};
  parity.groups[0].target_difference = {0.5, {-0.125, 1}};
  parity.groups[1].means[1] = {"label=yes", 0.16, 0.47, 251, 268, {}};
  parity.groups[1].target_difference = {0.31, {0.25, 0.37}};
  const std::string beyond =
      "In 1 of 2 groups (1 more without rows or records) the share of label=yes differs beyond "
      "sampling";
  EXPECT_THAT(to_screen(evaluation_document(report)), HasSubstr(beyond));
  EXPECT_THAT(to_page(evaluation_document(report)),
              HasAll(beyond, "of these: M, 0.470 in rows, 0.160 in 251 real"));
  parity.groups[1].target_difference.interval = {-0.25, 0.87};
  EXPECT_THAT(to_page(evaluation_document(report)),
              HasAll("In 0 of 2 groups", "Largest difference: F, 0.750 in rows, 0.250 in 8 real"));
}

TEST(EvaluationPage, GroupsAndTheTargetComeBeforeMarginals) {
  SynthEvaluateReport report = sample_evaluation();
  report.parity->means->columns[1].overall.column = "label=yes";
  for (EvaluatedGroup& group : report.parity->groups) group.means[1].column = "label=yes";
  const Document document = evaluation_document(report);
  const auto expect_order = [](const std::string& text, const std::vector<std::string>& parts) {
    size_t last = 0;
    for (const std::string& part : parts) {
      const size_t place = text.find(part, last);
      EXPECT_NE(place, std::string::npos) << part << " is missing, or too early";
      if (place != std::string::npos) last = place;
    }
  };
  expect_order(to_page(document), {"Groups by sex", "Means by sex", "Mean of label=yes",
                                   "Mean of age", "Classifier of label", "All marginals",
                                   "Errors of single columns", "Columns by sex", "Correlations"});
  expect_order(to_screen(document), {"Groups by sex", "Overall"});
}

TEST(EvaluationPage, UndefinedFiguresAreDashes) {
  const std::string page = to_page(evaluation_document(sample_evaluation()));
  EXPECT_THAT(page, AllOf(HasSubstr("of marginals 1.2500, of means -."), Not(HasSubstr("nan"))));
}

}  // namespace equinoise::evaluation_page_test
