// SPDX-License-Identifier: Apache-2.0

#include "equinoise/report/means/means_report.h"
#include "tests/matchers.h"
#include "tests/report/means/sample_means.h"

namespace equinoise::means_page_test {

/// The screen of one mean with that noise.
std::string text_of(double mean, double noise, const Interval& interval) {
  MeansReport report = sample_means();
  report.rows.resize(1);
  report.strata.clear();
  report.overall[0].mean = mean;
  report.overall[0].noise_stddev = noise;
  report.overall[0].interval = interval;
  return to_screen(means_document(report));
}

/// Two digits of the noise, and ends that are rounded outwards.
TEST(MeansPage, NumbersOfAnySizeCanBeRead) {
  EXPECT_THAT(text_of(41.2345, 0.123, {41.0012, 41.4678}), HasSubstr("41.23  [41.00, 41.47] "));
  EXPECT_THAT(text_of(36632.4, 1200, {34232.4, 39032.4}), HasSubstr("36,632  [34,232, 39,033] "));
  EXPECT_THAT(text_of(-0.001, 0.1, {-0.2, 0.2}), HasSubstr("0.00  [-0.20, 0.20] "));
  EXPECT_THAT(text_of(6.02038462e23, 3.1e21, {5.95123e23, 6.0845e23}),
              HasSubstr("6.02e+23  [5.951e+23, 6.085e+23] "));
  EXPECT_THAT(text_of(5e22, 3.1e21, {0, 6.0845e23}), HasSubstr("5e+22  [0, 6.085e+23] "));
  EXPECT_THAT(text_of(1.2345e-20, 3e-22, {1.10001e-20, 1.40001e-20}),
              HasSubstr("1.234e-20  [1.1e-20, 1.401e-20] "));
}

TEST(MeansPage, AScreenHasFiguresAndWarningsAndTheRestIsVerbose) {
  MeansReport report = sample_means();
  report.rows[0].note = report.rows[1].note;
  const std::string screen = to_screen(means_document(report));
  EXPECT_THAT(screen, AllOf(HasSubstr("Female, hours and 1 more: the noise is wider"),
                            HasSubstr("warning: delta is large"), HasSubstr("--verbose"),
                            HasSubstr("Guarantee: epsilon 1.25"), Not(HasSubstr("Protected"))));
  EXPECT_THAT(to_screen(means_document(report), true),
              AllOf(HasSubstr("Protected"), HasSubstr("Female, hours; Male, hours: the noise"),
                    HasSubstr("predicted noise of the overall mean: 0.12"),
                    HasSubstr("The declared sizes are assumed"), Not(HasSubstr("--verbose"))));
}

TEST(MeansPage, ExactFiguresAreFenced) {
  const MeansReport report = sample_explained_means();
  EXPECT_THAT(to_page(means_document(report)),
              AllOf(HasSubstr("do not publish"), HasSubstr("Exact figures")));
  EXPECT_THAT(to_card(means_document(report)), Not(HasSubstr("xact")));
  EXPECT_THAT(to_page(means_document(sample_means())), Not(HasSubstr("do not publish")));
}

TEST(MeansPage, ARunWithoutAGuaranteeSaysSoOnTop) {
  MeansReport report = sample_means();
  report.status = PrivacyStatus::kInsecureRng;
  report.privacy.reset();
  for (const std::string& text : {to_page(means_document(report)), to_card(means_document(report)),
                                  to_screen(means_document(report))})
    EXPECT_THAT(text, AllOf(HasSubstr("NOT PRIVATE"), HasSubstr("Guarantee: NONE")));
}

}  // namespace equinoise::means_page_test
