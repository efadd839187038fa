// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/certified_minimax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "equinoise/reproduction/worst_group/grouped_records.h"
#include "equinoise/train/worst_group/ball.h"
#include "tests/test_support.h"

namespace equinoise::certified_minimax_test {

/// Records (x, 1) with one feature: a model has a slope and an intercept.
GroupedRecords draw(RegressionModel loss, const std::vector<int64_t>& sizes, unsigned seed,
                    double unit = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> features;
  std::vector<double> targets;
  for (size_t group = 0; group < sizes.size(); ++group) {
    const double slope = 2 * normal(engine);
    for (int64_t i = 0; i < sizes[group]; ++i) {
      const double x = normal(engine);
      const double score = slope * x + normal(engine);
      features.insert(features.end(), {unit * x, 1});
      targets.push_back(loss == RegressionModel::kLinear ? score : score > 0 ? 1 : -1);
    }
  }
  return {loss, 1, 2, sizes, std::move(features), std::move(targets)};
}

double largest_loss(const GroupLosses& losses, std::span<const double> parameters) {
  std::vector<double> of_groups(losses.num_groups());
  std::vector<double> gradients(losses.num_groups() * losses.num_parameters());
  losses.evaluate(parameters, of_groups, gradients);
  return *std::ranges::max_element(of_groups);
}

/// The least over a grid of the disc, ever finer about the best point.
double by_brute_force(const GroupLosses& losses, double radius) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> middle = {0, 0};
  for (double step = radius / 10; step > radius * 1e-9; step /= 3) {
    const std::vector<double> around = middle;
    for (int i = -10; i <= 10; ++i) {
      for (int j = -10; j <= 10; ++j) {
        std::vector<double> point = {around[0] + i * step, around[1] + j * step};
        project_on_ball(radius, point);
        const double loss = largest_loss(losses, point);
        if (!(loss < best)) continue;
        best = loss;
        middle = point;
      }
    }
  }
  return best;
}

constexpr MinimaxTerms kTerms = {20, 1e-5, 500};

void expect_optimum(const GroupLosses& losses, const MinimaxTerms& terms, double optimum) {
  const CertifiedMinimax found = minimise_largest_loss(losses, terms, {0, 0});
  EXPECT_LE(euclidean_norm(found.parameters), terms.radius * (1 + 1e-12));
  EXPECT_DOUBLE_EQ(largest_loss(losses, found.parameters), found.certificate.upper);
  EXPECT_LE(found.certificate.gap(), terms.tolerance);
  EXPECT_LE(found.certificate.lower, optimum + 1e-12);
  EXPECT_NEAR(optimum, found.certificate.upper, 1e-3) << "a search by hand is not as near";
}

TEST(CertifiedMinimax, BoundsHoldTheLeastOfAGrid) {
  for (const RegressionModel loss : {RegressionModel::kLogistic, RegressionModel::kLinear}) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(seed);
      const GroupedRecords records = draw(loss, {7, 15, 4}, seed);
      // Within a small disc the optimum lies on its edge.
      for (const double radius : {0.3, 20.0})
        expect_optimum(records, {radius, 1e-5, 500}, by_brute_force(records, radius));
    }
  }
}

/// The lower bound is one wherever and with whatever weights it is taken.
TEST(CertifiedMinimax, NoPointAndNoWeightsGiveALowerBoundAboveTheLeast) {
  const GroupedRecords records = draw(RegressionModel::kLogistic, {7, 15, 4}, 3);
  constexpr double kRadius = 3;
  const double least = by_brute_force(records, kRadius);
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> losses(3);
  std::vector<double> gradients(6);
  double highest = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> point = {kRadius * uniform(engine), kRadius * uniform(engine)};
    project_on_ball(kRadius, point);
    std::vector<double> lambda;
    for (int k = 0; k < 3; ++k) lambda.push_back(std::fabs(uniform(engine)));
    const double sum = lambda[0] + lambda[1] + lambda[2];
    for (double& weight : lambda) weight /= sum;
    records.evaluate(point, losses, gradients);
    const MinimaxCertificate found = certificate_at(point, losses, gradients, lambda, kRadius);
    EXPECT_LE(found.lower, least + 1e-9);
    EXPECT_GE(found.upper, least - 1e-9);
    highest = std::max(highest, found.lower);
  }
  EXPECT_GT(highest, 0) << "else nothing was tried";
}

TEST(CertifiedMinimax, GroupsThatTieAreNoTrouble) {
  // Of one record of class 1 at 0, and of one of class -1: nothing is better than a half for both.
  for (const size_t pairs : {1U, 20U}) {
    std::vector<double> features;
    std::vector<double> targets;
    for (size_t i = 0; i < 2 * pairs; ++i) {
      features.insert(features.end(), {0, 1});
      targets.push_back(i % 2 == 0 ? 1 : -1);
    }
    const GroupedRecords records(RegressionModel::kLogistic, 1, 2,
                                 std::vector<int64_t>(2 * pairs, 1), features, targets);
    expect_optimum(records, kTerms, std::numbers::ln2);
  }
}

TEST(CertifiedMinimax, AGroupOfOneRecordCountsAsMuchAsAnother) {
  const GroupedRecords records = draw(RegressionModel::kLogistic, {200, 1}, 5);
  expect_optimum(records, kTerms, by_brute_force(records, kTerms.radius));
}

TEST(CertifiedMinimax, GroupsThatAModelSeparatesLieOnTheSphere) {
  const std::vector<double> features = {1, 1, -1, 1, 2, 1, -2, 1};
  const GroupedRecords records(RegressionModel::kLogistic, 1, 2, std::vector<int64_t>{2, 2},
                               features, {1, -1, 1, -1});
  // By symmetry the intercept is 0, and the first group decides.
  for (const double radius : {0.5, 3.0, 8.0})
    expect_optimum(records, {radius, 1e-5, 500}, std::log1p(std::exp(-radius)));
  // Where the least is nothing that a double tells from 0, it is found all the same.
  expect_optimum(records, {1000, 1e-5, 500}, 0);
}

TEST(CertifiedMinimax, FeaturesMayHaveAnyUnit) {
  const GroupedRecords usual = draw(RegressionModel::kLogistic, {40, 30, 20}, 8);
  const double optimum = minimise_largest_loss(usual, {1000, 1e-6, 500}, {0, 0}).certificate.upper;
  for (const double unit : {1e-2, 1e4}) {
    const GroupedRecords records = draw(RegressionModel::kLogistic, {40, 30, 20}, 8, unit);
    expect_optimum(records, {1000, 1e-4, 500}, optimum);
  }
}

TEST(CertifiedMinimax, BoundsHoldWhereStepsRunOut) {
  const GroupedRecords records = draw(RegressionModel::kLogistic, {7, 15, 4}, 3);
  const double least = by_brute_force(records, kTerms.radius);
  double gap = std::numeric_limits<double>::infinity();
  for (const int64_t steps : {1, 4, 8}) {
    int64_t told = 0;
    const CertifiedMinimax found = minimise_largest_loss(
        records, {kTerms.radius, 1e-9, steps}, {0, 0}, [&](std::span<const double>) { ++told; });
    EXPECT_EQ(told, steps);
    EXPECT_GT(found.certificate.gap(), 1e-9);
    EXPECT_LE(found.certificate.gap(), gap);
    EXPECT_LE(found.certificate.lower, least);
    EXPECT_GE(found.certificate.upper, least - 1e-6);
    gap = found.certificate.gap();
  }
}

TEST(CertifiedMinimax, RefusesNumbersThatAreNoLengths) {
  const GroupedRecords records = draw(RegressionModel::kLogistic, {7, 15}, 3);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const MinimaxTerms& terms : {MinimaxTerms{infinity, 1e-4, 9}, MinimaxTerms{0, 1e-4, 9}}) {
    EXPECT_ERROR(kUsage, HasSubstr("radius must be finite and > 0"),
                 minimise_largest_loss(records, terms, {0, 0}));
  }
  EXPECT_ERROR(kUsage, HasSubstr("tolerance"), minimise_largest_loss(records, {1, 0, 9}, {0, 0}));
}

}  // namespace equinoise::certified_minimax_test
