// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/predicted_widths.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/matchers.h"

namespace equinoise::predicted_widths_test {

constexpr double kWidth = 100;  // of the bounds
constexpr double kRho = 0.02;

/// Two strata of 5,000 and 20,000 records, or these and an empty one.
MeansQuestion question_about(const std::string& method, double overall_share = 0) {
  MeansQuestion question;
  question.columns = {{"x", 0, kWidth, {}}};
  question.method = method;
  question.rho = kRho;
  question.sizes = {5'000, 20'000};
  question.num_strata = 2;
  question.overall_share = overall_share;
  return question;
}

TEST(PredictedWidths, OfBoundedMeansAreThoseOfGaussianNoise) {
  const PredictedWidths widths = predict_widths(plan_means(question_about("bounded")), 0, {});
  // Sensitivity 100, standard deviation 100 / sqrt(2 rho), divided by the size.
  const double of_sum = 2 * 1.959963984540054 * kWidth / std::sqrt(2 * kRho);
  ASSERT_EQ(widths.strata.size(), 2U);
  EXPECT_NEAR(widths.strata[0], of_sum / 5'000, 1e-6);
  EXPECT_NEAR(widths.strata[1], of_sum / 20'000, 1e-6);
  // By size every stratum's sum has the same weight.
  EXPECT_NEAR(widths.overall, std::sqrt(2.0) * of_sum / 25'000, 1e-6);
}

TEST(PredictedWidths, OfLaplaceMeansHaveTheTailsOfThatDistribution) {
  const PredictedWidths widths = predict_widths(plan_means(question_about("laplace")), 0, {});
  const double scale = kWidth / std::sqrt(2 * kRho);
  EXPECT_NEAR(widths.strata[0], 2 * std::log(20.0) * scale / 5'000, 1e-6);
  EXPECT_NEAR(widths.overall, 2 * std::log(20.0) * std::sqrt(2.0) * scale / 25'000, 1e-6);
}

TEST(PredictedWidths, OneSumOverAllStrataIsCounted) {
  const double share = 0.2;
  const PredictedWidths widths =
      predict_widths(plan_means(question_about("bounded", share)), 0, {});
  const double variance = kWidth * kWidth / (2 * kRho);
  const double of_strata = 2 * variance / (1 - share);
  const double of_all = variance / share;
  const double both = 1 / (1 / of_strata + 1 / of_all);
  EXPECT_NEAR(widths.overall, 2 * kNormalQuantile * std::sqrt(both) / 25'000, 1e-6);
  EXPECT_NEAR(widths.strata[0], 2 * kNormalQuantile * std::sqrt(variance / (1 - share)) / 5'000,
              1e-6);
}

TEST(PredictedWidths, WeightsMoveTheOverallOneAlone) {
  const MeansPlan plan = plan_means(question_about("bounded"));
  const std::vector<double> weights = {1, 0};
  const PredictedWidths widths = predict_widths(plan, 0, weights);
  EXPECT_EQ(widths.strata, predict_widths(plan, 0, {}).strata);
  EXPECT_DOUBLE_EQ(widths.overall, widths.strata[0]);
}

TEST(PredictedWidths, NoneIsWiderThanTheBoundsAndThoseOfAnEmptyStratumAreThese) {
  MeansQuestion question = question_about("bounded");
  question.rho = 1e-9;
  EXPECT_THAT(predict_widths(plan_means(question), 0, {}).strata, Each(kWidth));
  question = question_about("bounded");
  question.sizes[0] = 0;
  const PredictedWidths widths = predict_widths(plan_means(question), 0, {});
  EXPECT_EQ(widths.strata[0], kWidth);
  EXPECT_LT(widths.strata[1], 1);
}

/// By the sum of all probabilities of the noise that leaves a noisy size's interval.
TEST(PredictedWidths, IntervalsOfNoisySizesHoldIn95Percent) {
  for (const char* method : {"bounded", "laplace"}) {
    for (double rho = 200; rho > 1e-5; rho *= 0.97) {
      MeansQuestion question = question_about(method);
      question.sizes.clear();
      question.private_sizes = true;
      question.config.relation = Relation::kZeroOut;
      question.rho = rho;
      const MeansPlan plan = plan_means(question);
      const Event& event = plan.events[0][0];
      const bool is_laplace = event.kind() == Event::Kind::kDiscreteLaplace;
      const double stddev = *plan.size_noise;
      double total = 0;
      double variance = 0;
      double missed = 0;
      for (double k = 0; k <= 40 * stddev + 30; ++k) {
        const double mass =
            std::exp(is_laplace ? -event.decay() * k : -k * k / (2 * stddev * stddev)) *
            (k == 0 ? 1 : 2);
        total += mass;
        variance += k * k * mass;
        if (k > plan.size_half_width()) missed += mass;
      }
      EXPECT_LE(missed, 0.05 * total) << method << " " << rho;
      // That of the discrete Gaussian is below its parameter.
      EXPECT_NEAR(variance / total, stddev * stddev, (is_laplace ? 1e-6 : 1) * stddev * stddev);
    }
  }
}

TEST(PredictedWidths, AreInfiniteWherePublicFactsDoNotTell) {
  const PredictedWidths widths = predict_widths(plan_means(question_about("quantile")), 0, {});
  EXPECT_TRUE(std::isinf(widths.strata[1]));
  EXPECT_TRUE(std::isinf(widths.overall));
}

}  // namespace equinoise::predicted_widths_test
