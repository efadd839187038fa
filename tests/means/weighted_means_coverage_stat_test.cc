// SPDX-License-Identifier: Apache-2.0
// Whether intervals of weighted means hold the weighted mean of the records, over the noise.

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>

#include "equinoise/means/registry.h"
#include "equinoise/means/summary.h"
#include "tests/means/simulated_means.h"

namespace equinoise::weighted_means_coverage_stat_test {

using testing::MadeUpRecords;
using testing::simulate;

constexpr uint64_t kSeed = 20261126;
constexpr double kSignificance = 1e-6;

/// Numbers at an end of their bounds, in the middle, and of all sizes, whose weights follow them;
/// weights are those of a survey, a 20th of the largest one on average.
MadeUpRecords survey_records(const std::vector<size_t>& sizes) {
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  MadeUpRecords records;
  records.num_strata = sizes.size();
  records.columns.resize(3);
  for (size_t k = 0; k < sizes.size(); ++k) {
    for (size_t i = 0; i < sizes[k]; ++i) {
      const double weight = std::min(1.0, std::exp(-3.3 + 0.8 * normal(random)));
      records.strata.push_back(static_cast<uint32_t>(k));
      records.weights.push_back(i % 11 == 0 ? 0 : weight);
      records.columns[0].push_back(100);
      records.columns[1].push_back(50 + 5 * normal(random));
      records.columns[2].push_back(uniform(random) < 3 * weight ? 90 : 10 * uniform(random));
    }
  }
  for (size_t i = 0; i < records.strata.size(); i += 5) records.make_missing(2, i);
  return records;
}

TEST(WeightedMeansCoverage, IntervalsHoldTheWeightedMeanWheneverThereIsAFigure) {
  constexpr int kRuns = 300;
  const std::vector<size_t> sizes = {3000, 300, 30};
  const MadeUpRecords records = survey_records(sizes);
  const std::vector<double> weights = {0.2, 0.5, 0.3};
  const auto least =
      boost::math::quantile(boost::math::binomial(kRuns, 1 - kIntervalFailure), kSignificance);
  std::printf("seed %llu, n %d, each at least %g, at %g\n", static_cast<unsigned long long>(kSeed),
              kRuns, least, kSignificance);
  for (const char* method : {"bounded", "laplace"}) {
    for (const Relation relation : {Relation::kReplaceOne, Relation::kZeroOut}) {
      for (const double rho : {0.003, 0.05, 2.0, 200.0}) {
        MeansQuestion question;
        question.columns = {{"end", 0, 100, {}}, {"middle", 0, 100, {}}, {"any", 0, 100, {}}};
        for (MeanColumn& column : question.columns) column.usual_weight = 0.05;
        question.method = method;
        question.rho = rho;
        question.config.relation = relation;
        question.num_strata = sizes.size();
        question.sizes.assign(sizes.begin(), sizes.end());
        question.overall_share = kDefaultOverallShare;
        const MeansPlan plan = plan_means(question);
        // (columns, strata, overall by sums of weights, by given weights): that hold, of figures
        int held[3][5] = {};
        int told[3][5] = {};
        for (int i = 0; i < kRuns; ++i) {
          const MeansRelease release =
              simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
          for (size_t j = 0; j < 3; ++j) {
            const auto add = [&](size_t place, double mean, double half_width, double truth) {
              held[j][place] += std::fabs(mean - truth) <= half_width ? 1 : 0;
              told[j][place] += std::isfinite(half_width) ? 1 : 0;
            };
            double by_strata = 0;
            for (size_t k = 0; k < sizes.size(); ++k) {
              const MeanEstimate& estimate = release.at(k, j);
              add(k, estimate.mean, estimate.half_width, records.mean(j, k));
              by_strata += weights[k] * records.mean(j, k);
            }
            const NoisyMean overall = summarise_column(plan, release, j, {}, {false, {}}).overall;
            add(3, overall.mean, overall.half_width, records.mean(j, sizes.size()));
            const NoisyMean given =
                summarise_column(plan, release, j, weights, {false, {}}).overall;
            add(4, given.mean, given.half_width, by_strata);
          }
        }
        for (size_t j = 0; j < 3; ++j) {
          for (size_t place = 0; place < 5; ++place) {
            EXPECT_GE(held[j][place], least) << method << " " << to_string(relation) << " rho "
                                             << rho << ", column " << j << ", place " << place;
          }
          std::printf("%s %s rho %g column %zu: held/told", method,
                      std::string(to_string(relation)).c_str(), rho, j);
          for (size_t place = 0; place < 5; ++place)
            std::printf(" %d/%d", held[j][place], told[j][place]);
          std::printf("\n");
        }
        // The small stratum is hidden by the smallest budget, and nothing large is by a large one.
        EXPECT_LE(told[1][2], rho == 0.003 ? kRuns / 50 : kRuns);
        EXPECT_GE(told[1][0], rho == 200.0 ? kRuns : 0);
      }
    }
  }
}

}  // namespace equinoise::weighted_means_coverage_stat_test
