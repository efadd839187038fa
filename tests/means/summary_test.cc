// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/means/shrinkage.h"
#include "equinoise/means/stratified.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "tests/means/simulated_means.h"
#include "tests/test_support.h"

namespace equinoise::summary_test {

using testing::MadeUpRecords;
using testing::simulate;

MadeUpRecords two_strata() {
  return testing::make_up({30, 10}, [](size_t k) { return k == 0 ? 20.0 : 60.0; });
}

MeansQuestion two_strata_question() {
  MeansQuestion question;
  question.columns = {{"x", 0, 100, {}}};
  question.method = "bounded";
  question.rho = 0.5;
  question.num_strata = 2;
  question.sizes = {30, 10};
  return question;
}

TEST(MeansSummary, TheOverallMeanWeighsStrataBySizeOrAsTold) {
  const MeansPlan plan = plan_means(two_strata_question());
  const MeansRelease release = simulate(plan, two_strata().view(), 1);
  const double a = release.at(0, 0).mean;
  const double b = release.at(1, 0).mean;
  const NoisyMean by_size = summarise_column(plan, release, 0, {}, {}).overall;
  EXPECT_NEAR(by_size.mean, 0.75 * a + 0.25 * b, 1e-12);
  EXPECT_NEAR(
      by_size.noise_stddev,
      std::hypot(0.75 * release.at(0, 0).noise_stddev, 0.25 * release.at(1, 0).noise_stddev),
      1e-12);
  const std::vector<double> weights = {0.5, 0.5};
  EXPECT_NEAR(summarise_column(plan, release, 0, weights, {}).overall.mean, 0.5 * a + 0.5 * b,
              1e-12);
}

/// Shares of strata are drawn with the records: a standard deviation within each says nothing of
/// how far that moves their mean.
TEST(MeansSummary, APopulationOfStrataWhoseSharesAreNoisyHasNoInterval) {
  MeansQuestion question = two_strata_question();
  question.columns[0].stddev = 2;
  question.config.relation = Relation::kZeroOut;
  question.rho = 50;
  const auto population = [&](const MeansQuestion& asked, const MadeUpRecords& records,
                              std::span<const double> weights) {
    const MeansPlan plan = plan_means(asked);
    return summarise_column(plan, simulate(plan, records.view(), 1), 0, weights, {})
        .overall_population;
  };
  EXPECT_TRUE(population(question, two_strata(), {}));
  question.sizes.clear();
  question.private_sizes = true;
  EXPECT_FALSE(population(question, two_strata(), {}));
  EXPECT_TRUE(population(question, two_strata(), std::vector<double>{0.5, 0.5}));
  question.num_strata = 1;
  EXPECT_TRUE(population(question, testing::make_up({30}, [](size_t) { return 20.0; }), {}));
}

/// A number of values that may be 0 is taken for 1 where it divides: that says nothing of a mean.
TEST(MeansSummary, AStratumInWhichNobodyHasAValueIsAllBetweenTheBoundsAtAnyBudget) {
  for (const double rho : {0.5, 50.0, 5000.0}) {
    MeansQuestion question = two_strata_question();
    question.columns[0].has_gaps = true;
    question.rho = rho;
    MadeUpRecords records = two_strata();
    for (size_t i = 30; i < 40; ++i) records.make_missing(0, i);
    const MeansPlan plan = plan_means(question);
    const std::vector<double> weights = {0.5, 0.5};
    int held = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      const MeansRelease release = simulate(plan, records.view(), seed);
      const NoisyMean overall = summarise_column(plan, release, 0, weights, {false, {}}).overall;
      held += std::isinf(release.at(1, 0).half_width) && std::isinf(overall.half_width) ? 1 : 0;
    }
    // 95 % of 30 runs, at a significance of 1e-6 (binomial).
    EXPECT_GE(held, 21) << rho;
  }
}

TEST(MeansSummary, OneSumOverAllStrataIsPaidByEachAndMakesTheMeanMorePrecise) {
  MeansQuestion question = two_strata_question();
  question.overall_share = 0.2;
  const MeansPlan plan = plan_means(question);
  for (const std::vector<Event>& events : plan.events) {
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1], plan.parts[0].overall->events[0]);
    ZcdpAccountant accountant(Relation::kReplaceOne);
    for (const Event& event : events) accountant.compose(event);
    EXPECT_LE(accountant.rho(), 0.5);
    EXPECT_GT(accountant.rho(), 0.4999999);
  }
  const MeansRelease release = simulate(plan, two_strata().view(), 3);
  ASSERT_TRUE(release.overall[0].has_value());
  // 100 / 40 / sqrt(2 * 0.1).
  EXPECT_NEAR(release.overall[0]->noise_stddev, 2.5 / std::sqrt(0.2), 1e-6);
  const NoisyMean overall = summarise_column(plan, release, 0, {}, {}).overall;
  EXPECT_LT(overall.noise_stddev, release.overall[0]->noise_stddev);
  const std::vector<double> weights = {0.75, 0.25};
  EXPECT_LT(overall.noise_stddev,
            summarise_column(plan, release, 0, weights, {}).overall.noise_stddev);
}

TEST(MeansSummary, ThereIsNoSumOverAllStrataWhereItWouldTellNothingNew) {
  MeansQuestion question = two_strata_question();
  question.overall_share = 0.2;
  question.sizes = {40, 0};
  EXPECT_FALSE(plan_means(question).parts[0].overall.has_value());
  question.sizes = {30, 10};
  question.method = "laplace";
  EXPECT_FALSE(plan_means(question).parts[0].overall.has_value());
}

TEST(MeansSummary, AllThatIsChargedIsDrawnOnce) {
  MeansQuestion question = two_strata_question();
  question.overall_share = 0.2;
  const MeansPlan plan = plan_means(question);
  SeededSource source(3);
  std::vector<Charge> charges = testing::charges_of(plan, source);
  const MadeUpRecords records = two_strata();
  release_means(plan, records.view(), charges, source, 1);
  for (const Charge& charge : charges) {
    EXPECT_TRUE(charge.is_used_up(0));
    EXPECT_TRUE(charge.is_used_up(1));
  }
  error_of(ErrorKind::kRuntime, [&] { release_means(plan, records.view(), charges, source, 1); });
}

TEST(MeansSummary, CategoriesHaveTheirPlaces) {
  const std::vector<GroupLabel> strata = {
      {{"sex", "F"}, {"race", "W"}}, {{"sex", "F"}, {"race", "B"}}, {{"sex", "M"}, {"race", "W"}}};
  const std::vector<std::vector<size_t>> expected = {{0, 0}, {0, 1}, {1, 0}};
  EXPECT_EQ(category_levels(strata), expected);
}

TEST(MeansSummary, TooManyLevelsAreMovedToTheMeanOfAll) {
  std::vector<size_t> sizes(300, 5);
  const MadeUpRecords records =
      testing::make_up(sizes, [](size_t k) { return static_cast<double>(k % 100); });
  MeansQuestion question = two_strata_question();
  question.num_strata = 300;
  question.sizes.assign(300, 5);
  const MeansPlan plan = plan_means(question);
  const MeansRelease release = simulate(plan, records.view(), 4);
  std::vector<std::vector<size_t>> levels;
  for (size_t k = 0; k < 300; ++k) levels.push_back({k, 0});
  EXPECT_EQ(summarise_column(plan, release, 0, {}, {true, levels}).strata,
            summarise_column(plan, release, 0, {}, {true, {}}).strata);
}

// Far from 0: the first weights are as they are printed, and add up to a little less than 1.
TEST(MeansSummary, AnOffsetOfAllEstimatesMovesTheirMeanAndNothingElse) {
  const std::vector<double> noise(4, 3.0);
  const std::vector<double> variances(4, 9.0);
  const std::vector<double> near = {10, 20, 35, 42};
  const std::vector<std::vector<size_t>> levels = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  for (const double offset : {20240101.0, 1.7e9, -5e12}) {
    std::vector<double> far;
    for (const double estimate : near) far.push_back(estimate + offset);
    const double tolerance = 2 * 0x1p-52 * std::fabs(offset);
    const std::vector<double> printed = {0.3333333, 0.3333333, 0.1666667, 0.1666666};
    EXPECT_NEAR(combine_strata(far, noise, printed).mean - offset, 22.833333, 1e-5 + tolerance);
    const Shrinkage own = shrink_estimates(near, variances, 0, 100);
    const Shrinkage moved = shrink_estimates(far, variances, offset, offset + 100);
    const Shrinkage crossed = shrink_intersections(near, variances, levels, 0, 100);
    const Shrinkage moved_crossed =
        shrink_intersections(far, variances, levels, offset, offset + 100);
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(moved.shrunk[k] - offset, own.shrunk[k], tolerance) << offset;
      EXPECT_NEAR(moved_crossed.shrunk[k] - offset, crossed.shrunk[k], tolerance) << offset;
    }
    EXPECT_NEAR(moved.centre - offset, own.centre, tolerance);
    EXPECT_NEAR(moved_crossed.centre - offset, crossed.centre, tolerance);
  }
}

TEST(ShrinkIntersections, WithoutNoiseLeavesEstimatesAndWithMuchTellsTheirMean) {
  const std::vector<double> estimates = {10, 20, 35, 42};
  const std::vector<std::vector<size_t>> levels = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const Shrinkage exact =
      shrink_intersections(estimates, std::vector<double>(4, 1e-9), levels, 0, 100);
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(exact.shrunk[k], estimates[k], 1e-4);
  const Shrinkage blurred =
      shrink_intersections(estimates, std::vector<double>(4, 1e8), levels, 0, 100);
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(blurred.shrunk[k], 26.75, 2);
}

TEST(ShrinkIntersections, AStratumOfNoiseIsToldByItsLevels) {
  // Rows differ by 10, columns by 5; the last estimate is nothing but noise.
  const std::vector<double> estimates = {10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 500};
  std::vector<std::vector<size_t>> levels;
  for (size_t k = 0; k < 12; ++k) levels.push_back({k / 2, k % 2});
  std::vector<double> variances(12, 0.5);
  variances[11] = 1e6;
  const Shrinkage result = shrink_intersections(estimates, variances, levels, 0, 100);
  EXPECT_NEAR(result.shrunk[11], 65, 4);
  EXPECT_NEAR(result.shrunk[0], 10, 1);
}

TEST(ShrinkIntersections, StaysWithinTheBounds) {
  const std::vector<std::vector<size_t>> levels = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const Shrinkage result = shrink_intersections(std::vector<double>{-50, -40, 150, 160},
                                                std::vector<double>(4, 1.0), levels, 0, 100);
  for (const double mean : result.shrunk) {
    EXPECT_GE(mean, 0);
    EXPECT_LE(mean, 100);
  }
}

}  // namespace equinoise::summary_test
