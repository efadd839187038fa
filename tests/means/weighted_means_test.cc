// SPDX-License-Identifier: Apache-2.0
// Means of records that count by weights.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/registry.h"
#include "equinoise/means/summary.h"
#include "tests/means/simulated_means.h"
#include "tests/test_support.h"

namespace equinoise::weighted_means_test {

using testing::MadeUpRecords;
using testing::simulate;

constexpr std::array kRelations = {Relation::kReplaceOne, Relation::kZeroOut};
constexpr std::array kMethods = {"bounded", "laplace"};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two columns, three strata of 40, 7 and 2 records, the last one a null record.
MadeUpRecords weighted_records(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  MadeUpRecords records;
  records.num_strata = 3;
  records.columns.resize(2);
  for (size_t i = 0; i < 50; ++i) {
    records.strata.push_back(i < 40 ? 0 : i < 47 ? 1 : i < 49 ? 2 : 3);
    records.columns[0].push_back(30 + 12 * normal(random));
    records.columns[1].push_back(-2 + 3 * normal(random));
    records.weights.push_back(std::pow(uniform(random), 2));
  }
  return records;
}

MeansQuestion weighted_question(std::string_view method, Relation relation, double rho = 0.3) {
  MeansQuestion question;
  question.columns = {{"hours", 0, 100, 12.0}, {"score", -10, 10, 3.0}};
  for (MeanColumn& column : question.columns) column.usual_weight = 1;
  question.method = method;
  question.config.relation = relation;
  question.rho = rho;
  question.num_strata = 3;
  question.sizes = {40, 7, 2};
  question.overall_share = kDefaultOverallShare;
  return question;
}

/// The largest change over neighbours: one record has any of these numbers and weights, or no
/// value.
double worst_change(std::string_view method, Relation relation, double rho) {
  const MeansQuestion question = weighted_question(method, relation, rho);
  const MadeUpRecords records = weighted_records(7);
  double worst = 0;
  const auto answer_of = [](const MadeUpRecords& asked, const Query& query) {
    return answer_about_values(asked.view(), query, 1);
  };
  const auto try_neighbours = [&](const Query& query) {
    const auto& sum = std::get<WeightedSumQuery>(query);
    std::vector<Answer> answers;
    if (relation == Relation::kZeroOut) {
      MadeUpRecords without = records;
      without.strata[40] = 3;
      answers.push_back(answer_of(without, query));
    }
    for (const double number : {-kInfinity, kInfinity, -1e30, 1e30, kNaN, 0.0, 50.0, 99.9, -9.7}) {
      for (const double weight :
           {kNaN, -1.0, 0.0, 1e-300, 1e-10, 0.1, 1.0 / 3, 0.5, 0.7, 1 - 1e-9, 1.0, 2.0, 1e300}) {
        for (const bool is_missing : {false, true}) {
          MadeUpRecords one = records;
          for (size_t j = 0; j < 2; ++j) {
            one.columns[j][40] = number;
            if (is_missing) one.make_missing(j, 40);
          }
          one.weights[40] = weight;
          const Answer answer = answer_of(one, query);
          for (const Answer& other : answers) {
            worst = std::max(worst, testing::relative_change_of_counted(
                                        answer, other, sum.ranges, relation, method == "laplace"));
          }
          if (relation == Relation::kReplaceOne) answers.push_back(answer);
        }
      }
    }
  };
  testing::follow_estimations(plan_means(question), try_neighbours,
                              [&](const Query& query) { return answer_of(records, query); });
  return worst;
}

TEST(WeightedMeans, NeighboursOfAnyWeightStayWithinTheSensitivityAndAttainIt) {
  for (const char* method : kMethods) {
    for (const Relation relation : kRelations) {
      // The smallest budget leaves few units, on which rounding does most.
      for (const double rho : {0.3, 1e-6, 1e-12}) {
        const double worst = worst_change(method, relation, rho);
        EXPECT_LE(worst, 1) << method << " " << to_string(relation) << " " << rho;
        EXPECT_GT(worst, 0.99) << method << " " << to_string(relation) << " " << rho;
      }
    }
  }
}

// On so few units no product is whole.
TEST(WeightedMeans, EveryRecordIsInItsTriangle) {
  for (const auto& [half, units] : {std::pair{3, 5}, {5, 3}, {1, 1}, {7, 12}}) {
    for (double number = -1.3; number < 1.4; number += 0.01) {
      for (double weight = -0.2; weight < 1.3; weight += 0.007) {
        MadeUpRecords records;
        records.columns = {{number}};
        records.strata = {0};
        records.weights = {weight};
        const Query query = WeightedSumQuery{0, {{0, 1.0 / half, half}}, {units}};
        const Answer answer = answer_queries(records.view(), {&query, 1}, 1)[0];
        ASSERT_GE(answer.weights[0], 0);
        ASSERT_LE(answer.weights[0], units);
        ASSERT_LE(std::abs(answer.values[0]) * units, half * answer.weights[0]) << number;
      }
    }
  }
}

TEST(WeightedMeans, FullWeightsAreThoseOfAColumnWithGaps) {
  MadeUpRecords records = weighted_records(3);
  records.make_missing(1, 4);
  for (const char* method : kMethods) {
    for (const Relation relation : kRelations) {
      MeansQuestion question = weighted_question(method, relation);
      records.weights.assign(50, 1);
      const MeansRelease weighted = simulate(plan_means(question), records.view(), 5, 2);
      for (MeanColumn& column : question.columns) {
        column.usual_weight.reset();
        column.has_gaps = true;
      }
      records.weights.clear();
      const MeansRelease plain = simulate(plan_means(question), records.view(), 5);
      for (size_t i = 0; i < plain.estimates.size(); ++i) {
        EXPECT_EQ(weighted.estimates[i].mean, plain.estimates[i].mean) << method;
        EXPECT_EQ(weighted.estimates[i].size, plain.estimates[i].size) << method;
        EXPECT_EQ(weighted.estimates[i].noise_stddev, plain.estimates[i].noise_stddev) << method;
      }
    }
  }
}

TEST(WeightedMeans, WithLittleNoiseTheyAreTheWeightedMeans) {
  const MadeUpRecords records = weighted_records(4);
  for (const char* method : kMethods) {
    const MeansPlan plan = plan_means(weighted_question(method, Relation::kReplaceOne, 1e8));
    const MeansRelease release = simulate(plan, records.view(), 6);
    for (size_t j = 0; j < 2; ++j) {
      for (size_t k = 0; k < 2; ++k) {
        const MeanEstimate& estimate = release.at(k, j);
        EXPECT_NEAR(estimate.mean, records.mean(j, k), 0.01) << method;
        EXPECT_LE(std::fabs(estimate.mean - records.mean(j, k)), 2 * estimate.half_width) << method;
      }
      EXPECT_NEAR(summarise_column(plan, release, j, {}, {false, {}}).overall.mean,
                  records.mean(j, 3), 0.01)
          << method;
    }
  }
}

// Half of the largest weight each: the figures are those without weights, with twice the noise.
TEST(WeightedMeans, EqualWeightsChangeNoiseAlone) {
  MadeUpRecords records = weighted_records(4);
  records.weights.assign(50, 0.5);
  MeansQuestion question = weighted_question("bounded", Relation::kReplaceOne, 1e8);
  const MeansRelease halved = simulate(plan_means(question), records.view(), 6);
  records.weights.assign(50, 1);
  const MeansRelease whole = simulate(plan_means(question), records.view(), 6);
  for (size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(halved.at(0, j).mean, whole.at(0, j).mean, 0.01);
    EXPECT_NEAR(2 * halved.at(0, j).size, whole.at(0, j).size, 0.01);
    EXPECT_NEAR(halved.at(0, j).sum_noise_stddev / whole.at(0, j).sum_noise_stddev, 2, 0.001);
  }
}

TEST(WeightedMeans, WhatNoiseHidesHasNoFigure) {
  MadeUpRecords records = weighted_records(4);
  records.weights.assign(50, 1e-4);
  for (const char* method : kMethods) {
    for (const double rho : {0.01, 1e6}) {
      const MeansPlan plan = plan_means(weighted_question(method, Relation::kReplaceOne, rho));
      for (uint64_t seed = 0; seed < 20; ++seed) {
        const MeansRelease release = simulate(plan, records.view(), seed);
        const ColumnSummary summary = summarise_column(plan, release, 0, {}, {});
        int hidden = 0;
        for (size_t k = 0; k < 3; ++k) hidden += release.at(k, 0).has_figure() ? 0 : 1;
        if (rho == 1e6) {
          // Nothing is hidden by noise, but all of them weigh less than one record may.
          EXPECT_EQ(hidden, 3) << method << " " << seed;
          EXPECT_TRUE(std::isinf(summary.overall.half_width)) << method << " " << seed;
        } else {
          EXPECT_EQ(hidden, 3) << method << " " << seed;
        }
        EXPECT_FALSE(summary.overall_population);
      }
    }
  }
}

// The many records of a stratum that hardly weighs anything are rounded, and move the sum of all by
// that, not its mean by their number.
TEST(WeightedMeans, AHiddenStratumDoesNotWidenTheOverallInterval) {
  const std::vector<size_t> sizes = {200'000, 20'000};
  MadeUpRecords records = testing::make_up(sizes, [](size_t k) { return k == 0 ? 10.0 : 70.0; });
  for (const uint32_t k : records.strata) records.weights.push_back(k == 0 ? 0 : 1);
  MeansQuestion question = weighted_question("bounded", Relation::kReplaceOne, 0.5);
  question.columns.resize(1);
  question.num_strata = 2;
  question.sizes = {200'000, 20'000};
  const MeansPlan plan = plan_means(question);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const MeansRelease release = simulate(plan, records.view(), seed);
    EXPECT_FALSE(release.at(0, 0).has_figure());
    const NoisyMean overall = summarise_column(plan, release, 0, {}, {}).overall;
    EXPECT_LT(overall.half_width, 0.5);
    EXPECT_NEAR(overall.mean, 70, 2 * overall.half_width);
    ASSERT_TRUE(overall.size);
    EXPECT_NEAR(*overall.size, 20'000, 5 * overall.size_noise);
  }
}

TEST(WeightedMeans, AreRefusedByNameWhereTheyMakeNoSense) {
  const auto refusal = [](MeansQuestion question) {
    return error_of(ErrorKind::kUsage, [&] { plan_means(question); });
  };
  for (const MeanEstimatorRow& row : mean_estimators()) {
    if (row.takes_weights) continue;
    EXPECT_THAT(refusal(weighted_question(row.name, Relation::kReplaceOne)),
                HasSubstr(std::string(row.name) + " has no form for weighted records"));
  }
  EXPECT_EQ(plan_means(weighted_question("auto", Relation::kReplaceOne)).parts.size(), 2U);
  MeansQuestion question = weighted_question("bounded", Relation::kReplaceOne);
  question.config.clipped_share = 0.1;
  EXPECT_THAT(refusal(question), HasSubstr("clipped_share counts records"));
  for (const double weight : {0.0, -1.0, 1.5, kNaN}) {
    question = weighted_question("bounded", Relation::kReplaceOne);
    question.columns[0].usual_weight = weight;
    EXPECT_THAT(refusal(question), HasSubstr("usual weight")) << weight;
  }
  question = weighted_question("bounded", Relation::kReplaceOne);
  question.columns[0].usual_weight.reset();
  EXPECT_THAT(refusal(question), HasSubstr("for all columns or for none"));
}

TEST(WeightedMeans, PredictedNoiseFollowsTheUsualWeight) {
  MeansQuestion question = weighted_question("bounded", Relation::kReplaceOne);
  const double whole = plan_means(question).predicted_noise(0, 40);
  for (MeanColumn& column : question.columns) column.usual_weight = 0.05;
  EXPECT_NEAR(plan_means(question).predicted_noise(0, 40), 20 * whole, 1e-9 * whole);
}

}  // namespace equinoise::weighted_means_test
