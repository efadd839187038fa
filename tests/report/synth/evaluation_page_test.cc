// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "equinoise/report/synth/evaluation_report.h"
#include "tests/matchers.h"
#include "tests/report/synth/sample_evaluation.h"

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
                    HasSubstr("0.0250 (age)"), HasSubstr("\nX                 0     0"),
                    HasSubstr("No synthetic rows of F;"), HasSubstr("NOT PRIVATE"),
                    Not(HasSubstr("Second half:"))));
}

TEST(EvaluationPage, AllOfThePageIsPrintedVerbosely) {
  const std::string all = to_screen(evaluation_document(sample_evaluation()), true);
  EXPECT_THAT(all, AllOf(HasSubstr("Errors of single columns"), HasSubstr("Second half:"),
                         HasSubstr("Means of age are of the 290 of 300 real records"),
                         HasSubstr("The group with the largest workload error is F: 2.0000"),
                         HasSubstr("Missing cells of features count as numbers: age as 20.")));
}

TEST(EvaluationPage, UndefinedFiguresAreDashes) {
  const std::string page = to_page(evaluation_document(sample_evaluation()));
  EXPECT_THAT(page, AllOf(HasSubstr("of marginals 1.2500, of means -."), Not(HasSubstr("nan"))));
}

}  // namespace equinoise::evaluation_page_test
