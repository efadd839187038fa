// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/group_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "equinoise/train/methods/options.h"
namespace equinoise::group_fit_test {

/// Groups of one feature whose targets follow slopes of their own.
std::vector<Moments> parts_of(const std::vector<double>& slopes, const std::vector<int>& sizes) {
  std::vector<Moments> parts;
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  for (size_t k = 0; k < slopes.size(); ++k) {
    Moments& part = parts.emplace_back(
        Moments{Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)});
    for (int i = 0; i < sizes[k]; ++i) {
      const double x = normal(generator);
      const double y = slopes[k] * x + 0.2 * normal(generator);
      part.second(0, 0) += x * x;
      part.cross(0) += x * y;
      part.sum(0) += x;
      part.weight += 1;
      part.target += y;
      part.target_squares += y * y;
    }
  }
  return parts;
}

GroupFit fit(const std::vector<Moments>& parts, GroupAim aim, double limit = 0) {
  return fit_groups(parts, {aim, limit, 4000, 10});
}

double largest(const GroupFit& fit) {
  double most = 0;
  for (const NoisyLoss& loss : fit.losses) most = std::max(most, loss.value);
  return most;
}

TEST(GroupFit, PopulationWeighsRecordsAlikeAndMeanGroupsAlike) {
  const std::vector<Moments> parts = parts_of({1, -0.5}, {3000, 1000});
  const GroupFit all = fit(parts, GroupAim::kPopulation);
  EXPECT_NEAR(all.weights[0], 1, 1e-9);
  EXPECT_NEAR(all.weights[1], 1, 1e-9);
  EXPECT_NEAR(all.regression.slopes(0), 0.625, 0.05);
  const GroupFit mean = fit(parts, GroupAim::kMean);
  EXPECT_NEAR(mean.weights[1] / mean.weights[0], 3, 1e-9);
  EXPECT_NEAR(mean.regression.slopes(0), 0.25, 0.05);
  EXPECT_NEAR(mean.losses[0].value, (0.75 * 0.75 + 0.04) / 2, 0.05);
}

TEST(GroupFit, NoWeightsHaveASmallerLargestLossThanWorst) {
  for (const std::vector<double>& slopes :
       {std::vector<double>{1, -0.5, 0}, {1, 0.9, 0.8}, {0.2, 0.2, 2}}) {
    const std::vector<Moments> parts = parts_of(slopes, {3000, 800, 200});
    double least = largest(fit(parts, GroupAim::kPopulation));
    for (double first = 0; first <= 1; first += 0.02) {
      for (double second = 0; first + second <= 1; second += 0.02) {
        GroupFit tried{shrunk_regression(
            combined(parts,
                     std::vector<double>{4 * first / 3, 5 * second, 20 * (1 - first - second)}),
            4000, 10)};
        double most = 0;
        for (const Moments& part : parts) {
          const double slope = tried.regression.slopes(0);
          const double constant = tried.regression.intercept;
          most = std::max(
              most, (part.target_squares - 2 * slope * part.cross(0) - 2 * constant * part.target +
                     slope * slope * part.second(0, 0) + 2 * slope * constant * part.sum(0) +
                     constant * constant * part.weight) /
                        part.weight / 2);
        }
        least = std::min(least, most);
      }
    }
    EXPECT_LE(largest(fit(parts, GroupAim::kWorst)), 1.01 * least);
  }
}

TEST(GroupFit, BoundedLossesAreBoundedWhereTheyCanBeAndCostNoMoreThanTheyMust) {
  const std::vector<Moments> parts = parts_of({1, -0.5}, {3000, 1000});
  const double free = largest(fit(parts, GroupAim::kPopulation));
  const double best = largest(fit(parts, GroupAim::kWorst));
  const double limit = (free + best) / 2;
  const GroupFit bounded = fit(parts, GroupAim::kBounded, limit);
  EXPECT_NEAR(largest(bounded), limit, 0.01 * limit);
  EXPECT_GT(bounded.weights[1], 1);
  // A limit that holds by itself changes nothing; one that cannot be met ends near the best.
  EXPECT_NEAR(fit(parts, GroupAim::kBounded, 2 * free).weights[1], 1, 1e-9);
  EXPECT_NEAR(largest(fit(parts, GroupAim::kBounded, best / 2)), best, 0.1 * best);
}

/// A group that is fit without any error leaves no mean loss to measure others by.
TEST(GroupFit, SurvivesAGroupWithoutErrors) {
  std::vector<Moments> parts = parts_of({1, -0.5}, {3000, 100});
  parts[0].second(0, 0) = parts[0].cross(0) = parts[0].target_squares = 1e6;
  parts[0].sum(0) = parts[0].target = 0;
  parts[0].weight = 1e6;
  const GroupFit worst = fit_groups(parts, {GroupAim::kWorst, 0, 1e6, 10});
  EXPECT_TRUE(std::isfinite(worst.regression.slopes(0)));
  EXPECT_TRUE(std::isfinite(worst.weights[0]));
  EXPECT_GT(worst.weights[1], worst.weights[0]);
}

/// Groups are told apart only by what noise does not explain.
TEST(GroupFit, NoiseDecidesNoWeights) {
  std::vector<Moments> parts = parts_of({1, 0.8}, {3000, 1000});
  for (Moments& part : parts) part.target_squares_stddev = 1e4;
  EXPECT_NEAR(fit(parts, GroupAim::kWorst).weights[1], 1, 1e-9);
  for (Moments& part : parts) part.weight_stddev = 2000;
  const GroupFit hidden = fit(parts, GroupAim::kWorst);
  EXPECT_TRUE(std::isnan(hidden.losses[0].value));
  EXPECT_TRUE(std::isfinite(hidden.regression.slopes(0)));
}

}  // namespace equinoise::group_fit_test
