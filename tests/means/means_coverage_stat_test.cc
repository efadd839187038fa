// SPDX-License-Identifier: Apache-2.0
// Whether intervals of every estimator hold what they are said to be of, on columns of all shapes.
// Prints the figures of docs/evidence/means.md.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "equinoise/means/estimators/estimators.h"
#include "equinoise/means/registry.h"
#include "equinoise/means/summary.h"
#include "tests/means/simulated_means.h"

namespace equinoise::means_coverage_stat_test {

using testing::MadeUpRecords;
using testing::simulate;

constexpr uint64_t kSeed = 20261125;
constexpr double kSignificance = 1e-6;
constexpr double kLevel = 1 - kIntervalFailure;

double min_held(int runs) {
  return boost::math::quantile(boost::math::binomial(runs, kLevel), kSignificance);
}

struct Shape {
  MeanColumn column;
  std::function<double(std::mt19937_64&)> draw;
};

double uniform(std::mt19937_64& random) { return std::uniform_real_distribution<>()(random); }
double normal(std::mt19937_64& random) { return std::normal_distribution<>()(random); }

/// All numbers are within the bounds; standard deviations are right, or a little too large.
std::vector<Shape> shapes() {
  return {{{"constant", 0, 100, 1.0}, [](auto&) { return 100.0; }},
          {{"two points", 0, 100, 14.0}, [](auto& r) { return uniform(r) < 0.02 ? 100.0 : 0.0; }},
          {{"lognormal", 0, 2e6, 4.8e4},
           [](auto& r) { return std::min(2e6, std::exp(10 + normal(r))); }},
          {{"Pareto", 0, 1e6, 2.6e4},
           [](auto& r) { return std::min(1e6, 1000 * std::pow(1 - uniform(r), -1 / 1.3)); }},
          {{"zeros and a tail", 0, 1e5, 1.7e4},
           [](auto& r) { return uniform(r) < 0.92 ? 0.0 : 1e5 * uniform(r); }},
          {{"negative", -100, -10, 15.0},
           [](auto& r) { return std::clamp(-30 + 15 * normal(r), -100.0, -10.0); }}};
}

const std::vector<size_t> kSizes = {900, 120, 20};

/// Every record has a number of each shape; with gaps a third of them lacks it, large ones more
/// often.
MadeUpRecords draw_records(std::mt19937_64& random, bool has_gaps) {
  const std::vector<Shape> all = shapes();
  MadeUpRecords records;
  records.num_strata = kSizes.size();
  records.columns.resize(all.size());
  for (size_t k = 0; k < kSizes.size(); ++k) {
    for (size_t i = 0; i < kSizes[k]; ++i) {
      records.strata.push_back(static_cast<uint32_t>(k));
      for (size_t j = 0; j < all.size(); ++j) records.columns[j].push_back(all[j].draw(random));
    }
  }
  for (size_t j = 0; j < all.size() && has_gaps; ++j) {
    for (size_t i = 0; i < records.strata.size(); ++i) {
      const bool is_large = records.columns[j][i] > all[j].column.lower + 1;
      if (uniform(random) < (is_large ? 0.45 : 0.25)) records.make_missing(j, i);
    }
  }
  return records;
}

struct Setting {
  std::string name;
  Relation relation;
  bool has_gaps;
  bool private_sizes;
};

const std::vector<Setting> kSettings = {{"public sizes", Relation::kReplaceOne, false, false},
                                        {"private sizes", Relation::kZeroOut, false, true},
                                        {"gaps, replace_one", Relation::kReplaceOne, true, false},
                                        {"gaps, zero_out", Relation::kZeroOut, true, false},
                                        {"gaps and private sizes", Relation::kZeroOut, true, true}};

MeansPlan plan_for(const std::string& method, const Setting& setting) {
  MeansQuestion question;
  for (const Shape& shape : shapes()) {
    question.columns.push_back(shape.column);
    question.columns.back().has_gaps = setting.has_gaps;
  }
  question.method = method;
  question.rho = 2;
  question.config.relation = setting.relation;
  question.config.own.of<QuantileOptions>().num_cells = 128;
  question.num_strata = kSizes.size();
  if (!setting.private_sizes) question.sizes.assign(kSizes.begin(), kSizes.end());
  question.private_sizes = setting.private_sizes;
  question.overall_share = kDefaultOverallShare;
  return plan_means(question);
}

/// What a figure of each column is said to be of in a stratum, from what was released with it:
/// numbers brought into its clip; of a ball, each record's vector in standard deviations.
class Clipped {
 public:
  Clipped(const MeansPlan& plan, const MeansRelease& release, const MadeUpRecords& records)
      : sums_(release.estimates.size()), counts_(release.estimates.size()) {
    const size_t width = release.num_columns;
    const StratifiedRecords view = records.view();
    const ClipKind kind =
        find_mean_estimator(plan.parts[0].method).make()->clip_kind(plan.question.config);
    std::vector<double> moved(width);
    for (size_t i = 0; i < records.strata.size(); ++i) {
      const size_t k = records.strata[i];
      double squared = 0;
      double radius = 0;
      for (size_t j = 0; j < width; ++j) {
        const MeanEstimate& estimate = release.at(k, j);
        const auto x = static_cast<double>(records.columns[j][i]);
        const double middle = (estimate.clip_lower + estimate.clip_upper) / 2;
        const double half = (estimate.clip_upper - estimate.clip_lower) / 2;
        const bool has_value = view.strata_for(j)[i] == k;
        if (kind != ClipKind::kReleasedBall) {
          moved[j] = std::clamp(x, estimate.clip_lower, estimate.clip_upper);
        } else {
          const double stddev = *plan.question.columns[j].stddev;
          radius = half / stddev;
          moved[j] = has_value ? x - middle : 0;
          squared += moved[j] * moved[j] / stddev / stddev;
        }
      }
      const double factor = std::sqrt(squared) > radius ? radius / std::sqrt(squared) : 1;
      for (size_t j = 0; j < width; ++j) {
        if (view.strata_for(j)[i] != k) continue;
        const MeanEstimate& estimate = release.at(k, j);
        const double middle = (estimate.clip_lower + estimate.clip_upper) / 2;
        sums_[k * width + j] +=
            kind == ClipKind::kReleasedBall ? middle + factor * moved[j] : moved[j];
        counts_[k * width + j] += 1;
      }
    }
  }

  double mean(size_t stratum, size_t column, size_t width) const {
    return sums_[stratum * width + column] / counts_[stratum * width + column];
  }
  double overall(size_t column, size_t width) const {
    double sum = 0;
    double count = 0;
    for (size_t i = column; i < sums_.size(); i += width) {
      sum += sums_[i];
      count += counts_[i];
    }
    return sum / count;
  }

 private:
  std::vector<double> sums_;
  std::vector<double> counts_;
};

TEST(MeansCoverage, EveryIntervalHoldsWhatItIsSaidToBeOf) {
  constexpr int kRuns = 250;
  const size_t width = shapes().size();
  const double least = min_held(kRuns);
  const int pooled_runs = kRuns * static_cast<int>(width);
  std::printf("seed %llu, n %d, each at least %g, of all columns %d at least %g, at %g\n",
              static_cast<unsigned long long>(kSeed), kRuns, least, pooled_runs,
              min_held(pooled_runs), kSignificance);
  std::printf("\n| method | records |");
  for (const Shape& shape : shapes()) std::printf(" %s |", shape.column.name.c_str());
  std::printf("\n|---|---|");
  for (size_t j = 0; j < width; ++j) std::printf("---|");
  std::printf("\n");
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const Setting& setting : kSettings) {
      std::mt19937_64 random(kSeed);
      const MadeUpRecords records = draw_records(random, setting.has_gaps);
      const MeansPlan plan = plan_for(std::string(row.name), setting);
      std::vector<int> held(kSizes.size() * width);
      std::vector<int> held_plain(held);
      std::vector<int> held_overall(width);
      for (int i = 0; i < kRuns; ++i) {
        const MeansRelease release =
            simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
        const Clipped clipped(plan, release, records);
        for (size_t j = 0; j < width; ++j) {
          for (size_t k = 0; k < kSizes.size(); ++k) {
            const MeanEstimate& estimate = release.at(k, j);
            const auto holds = [&](double truth) {
              return std::fabs(estimate.mean - truth) <= estimate.half_width ? 1 : 0;
            };
            held[k * width + j] += holds(clipped.mean(k, j, width));
            held_plain[k * width + j] += holds(records.mean(j, k));
          }
          const NoisyMean overall = summarise_column(plan, release, j, {}, {false, {}}).overall;
          // The figure is cut to the bounds, within which the truth is.
          held_overall[j] +=
              std::fabs(overall.mean - clipped.overall(j, width)) <= overall.half_width ? 1 : 0;
        }
      }
      for (size_t k = 0; k < kSizes.size(); ++k) {
        int pooled = 0;
        for (size_t j = 0; j < width; ++j) {
          pooled += held[k * width + j];
          EXPECT_GE(held[k * width + j], least)
              << row.name << ", " << setting.name << ", " << kSizes[k] << " records of "
              << shapes()[j].column.name;
        }
        EXPECT_GE(pooled, min_held(pooled_runs))
            << row.name << ", " << setting.name << ", " << kSizes[k] << " records";
        if (setting.has_gaps || setting.private_sizes) continue;
        std::printf("| %s | %zu |", std::string(row.name).c_str(), kSizes[k]);
        for (size_t j = 0; j < width; ++j) {
          std::printf(" %.0f, %.0f |", 100.0 * held[k * width + j] / kRuns,
                      100.0 * held_plain[k * width + j] / kRuns);
        }
        std::printf("\n");
      }
      for (size_t j = 0; j < width; ++j) {
        EXPECT_GE(held_overall[j], least)
            << row.name << ", " << setting.name << ", overall of " << shapes()[j].column.name;
      }
    }
  }
}

/// Quotients of small strata are off in one direction, which their noise does not average away:
/// with given weights an overall mean of many of them holds its own all the same.
TEST(MeansCoverage, OverallMeansOfManyNoisyQuotientsHoldWithGivenWeights) {
  constexpr int kRuns = 40;
  constexpr size_t kNumStrata = 600;
  MeansQuestion question;
  question.columns = {{"x", 0, 1, {}}};
  question.method = "bounded";
  question.rho = 0.05;
  question.config.relation = Relation::kZeroOut;
  question.num_strata = kNumStrata;
  question.private_sizes = true;
  const MeansPlan plan = plan_means(question);
  std::mt19937_64 random(kSeed);
  const MadeUpRecords records = testing::make_up(std::vector<size_t>(kNumStrata, 60), [&](size_t) {
    return uniform(random) < 0.9 ? 1.0 : 0.0;
  });
  const std::vector<double> weights(kNumStrata, 1.0 / kNumStrata);
  const double truth = records.mean(0, kNumStrata);
  int held = 0;
  for (int i = 0; i < kRuns; ++i) {
    const MeansRelease release = simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
    const NoisyMean overall = summarise_column(plan, release, 0, weights, {false, {}}).overall;
    held += std::fabs(overall.mean - truth) <= overall.half_width ? 1 : 0;
  }
  EXPECT_GE(held, min_held(kRuns)) << "seed " << kSeed << ", significance " << kSignificance;
}

/// Records are drawn anew in each run: the second interval holds the mean of their distribution.
TEST(MeansCoverage, IntervalsOfThePopulationHoldItsMean) {
  constexpr int kRuns = 250;
  const size_t width = shapes().size();
  const double least = min_held(kRuns);
  std::mt19937_64 random(kSeed);
  std::vector<double> truths(width);
  constexpr int kDraws = 400'000;
  for (size_t j = 0; j < width; ++j) {
    const Shape shape = shapes()[j];
    for (int i = 0; i < kDraws; ++i) truths[j] += shape.draw(random) / kDraws;
  }
  std::printf("population: seed %llu, n %d, at least %g at %g\n",
              static_cast<unsigned long long>(kSeed), kRuns, least, kSignificance);
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const Setting& setting : kSettings) {
      // What is missing follows the numbers: those that are there have another distribution.
      if (setting.has_gaps) continue;
      const MeansPlan plan = plan_for(std::string(row.name), setting);
      std::vector<int> held((kSizes.size() + 1) * width);
      for (int i = 0; i < kRuns; ++i) {
        const MadeUpRecords records = draw_records(random, false);
        const MeansRelease release =
            simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
        for (size_t j = 0; j < width; ++j) {
          const ColumnSummary summary = summarise_column(plan, release, j, {}, {false, {}});
          for (size_t k = 0; k <= kSizes.size(); ++k) {
            const bool is_overall = k == kSizes.size();
            const double mean = is_overall ? summary.overall.mean : release.at(k, j).mean;
            const std::optional<double> half =
                is_overall ? summary.overall_population : summary.populations[k];
            held[k * width + j] += !half || std::fabs(mean - truths[j]) <= *half ? 1 : 0;
            if (row.is_candidate) continue;
            EXPECT_FALSE(half) << row.name << ": the clip follows noise";
          }
        }
      }
      for (size_t i = 0; i < held.size(); ++i) {
        EXPECT_GE(held[i], least) << row.name << ", " << setting.name << ", stratum " << i / width
                                  << " of " << shapes()[i % width].column.name;
      }
    }
  }
}

}  // namespace equinoise::means_coverage_stat_test
