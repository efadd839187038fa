// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/record_interval.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <random>

namespace equinoise::record_interval_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double two_sided(double miss) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), miss / 2));
}

/// All that the figure, a share, can be.
bool says_nothing(const std::optional<RecordInterval>& interval) {
  return interval && !interval->estimate && interval->lower == 0 && interval->upper == 1;
}

/// A count of its own, of which the figure is the number of records.
CountedSource count_source(double count, double noise_stddev) {
  return {{{noise_stddev, {count}, {1}, {1}, {1}, {0}}}, 0, 0, 0, 1};
}

TEST(RecordInterval, OneCountIsItsNoiseWide) {
  const std::vector<CountedSource> sources = {count_source(100, 10)};
  const auto interval = record_interval(sources, 0.05, 0, kInfinity);
  ASSERT_TRUE(interval);
  // The first of however many get half of the misses.
  const double half = two_sided(0.025) * 10 + 0.5;
  EXPECT_NEAR(interval->lower, 100 - half, 1e-9);
  EXPECT_NEAR(interval->upper, 100 + half, 1e-9);
  EXPECT_EQ(interval->estimate, 100);
}

TEST(RecordInterval, LimitsAreThoseOfTheDefinition) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  int num_checked = 0;
  for (int trial = 0; trial < 50; ++trial) {
    CountedSource source;
    for (int p = 0; p < 1 + trial % 3; ++p) {
      CountedPart& part = source.parts.emplace_back();
      part.noise_stddev = 1 + 5 * uniform(random);
      for (int i = 0; i < 4; ++i) {
        part.counts.push_back(200 * uniform(random));
        part.low.push_back(20 * uniform(random) - 5);
        part.high.push_back(part.low.back() + 2 * uniform(random));
        part.middle.push_back(part.low.back());
        part.base.push_back(i == 0 ? 0 : 1);
      }
    }
    source.low = source.high = trial % 2;
    source.base = 3 * (trial % 2);
    const double miss = 0.1;
    const auto interval = record_interval(std::vector{source}, miss, -1000, 1000);
    if (!interval) continue;
    ++num_checked;
    const double z = two_sided(miss / 2);
    // Whether the source allows m, from the definition.
    const auto is_allowed = [&](double m, bool of_low) {
      double sum = (of_low ? source.low : source.high) - m * source.base;
      double variance = 0;
      for (const CountedPart& part : source.parts) {
        const double sigma = part.noise_stddev + 0.5 / z;
        for (size_t i = 0; i < part.counts.size(); ++i) {
          const double weight = (of_low ? part.low[i] : part.high[i]) - m * part.base[i];
          sum += weight * part.counts[i];
          variance += sigma * sigma * weight * weight;
        }
      }
      const double reach = z * std::sqrt(variance);
      return of_low ? sum <= reach : sum >= -reach;
    };
    constexpr double kStep = 1e-6;
    EXPECT_TRUE(is_allowed(interval->lower + kStep, true)) << trial;
    EXPECT_FALSE(is_allowed(interval->lower - kStep, true)) << trial;
    EXPECT_TRUE(is_allowed(interval->upper - kStep, false)) << trial;
    EXPECT_FALSE(is_allowed(interval->upper + kStep, false)) << trial;
  }
  EXPECT_GT(num_checked, 25);
}

/// The distribution of a sum of discrete Gaussian draws with these weights, added up exactly but
/// for tails beyond 12 standard deviations.
std::map<double, double> distribution_of_sum(const std::vector<double>& weights, double sigma) {
  std::map<double, double> distribution = {{0, 1}};
  const int reach = static_cast<int>(std::ceil(12 * sigma)) + 1;
  double all = 0;
  for (int x = -reach; x <= reach; ++x) all += std::exp(-x * x / (2 * sigma * sigma));
  for (const double weight : weights) {
    std::map<double, double> next;
    for (const auto& [sum, chance] : distribution)
      for (int x = -reach; x <= reach; ++x)
        next[sum + weight * x] += chance * std::exp(-x * x / (2 * sigma * sigma)) / all;
    distribution = std::move(next);
  }
  return distribution;
}

TEST(RecordInterval, HoldsAtItsLevelForDiscreteNoise) {
  for (const double sigma : {0.2, 0.35, 0.5, 0.76, 1.0, 1.5, 3.0}) {
    for (const std::vector<double>& weights : std::vector<std::vector<double>>{
             {1}, {1, 1}, {1, 1, 1}, {1, -0.5}, {3, 1}, {0.25, 1, 0.5}}) {
      if (sigma > 1.5 && weights.size() > 2) continue;
      const std::map<double, double> distribution = distribution_of_sum(weights, sigma);
      for (const double miss : {0.3, 0.1, 0.05, 0.001}) {
        double missed = 0;
        for (const auto& [noise, chance] : distribution) {
          // Counts whose weighted sum is off by the noise; the rest of the counts is 0.
          CountedSource source{{{sigma, {}, weights, weights, weights, {}}}, 0, 0, 0, 1};
          source.parts[0].counts.assign(weights.size(), 0);
          source.parts[0].counts[0] = noise / weights[0];
          source.parts[0].base.assign(weights.size(), 0);
          const auto interval = record_interval(std::vector{source}, miss, -1e9, 1e9);
          if (interval->lower > 0 || interval->upper < 0) missed += chance;
        }
        // One source has half of the misses.
        EXPECT_LE(missed, miss / 2) << sigma << " " << miss << " " << weights.size();
      }
    }
  }
}

/// As in a marginal that is summed onto fewer columns (counted_question.h).
TEST(RecordInterval, HoldsForOneCountThatIsASumOfNoisyOnes) {
  for (const double sigma : {0.2, 0.35, 0.5, 0.76, 1.0, 1.5}) {
    for (const size_t num_summed : {2, 3, 6}) {
      const std::map<double, double> distribution =
          distribution_of_sum(std::vector<double>(num_summed, 1), sigma);
      for (const double miss : {0.3, 0.1, 0.05, 0.001}) {
        double missed = 0;
        for (const auto& [noise, chance] : distribution) {
          const double stddev = sigma * std::sqrt(static_cast<double>(num_summed));
          const CountedSource source{{{stddev, {noise}, {1}, {1}, {1}, {0}}}, 0, 0, 0, 1};
          const auto interval = record_interval(std::vector{source}, miss, -1e9, 1e9);
          if (interval->lower > 0 || interval->upper < 0) missed += chance;
        }
        EXPECT_LE(missed, miss / 2) << sigma << " " << miss << " " << num_summed;
      }
    }
  }
}

/// Someone who measures again only what is too high, which pulls a mean of all measurements down.
/// Intervals hold; those that gave each measurement all of the misses would not.
TEST(RecordInterval, HoldsWhereNoiseDecidesWhatIsMeasuredAgain) {
  constexpr int kRuns = 20'000;
  constexpr double kMiss = 0.1;
  constexpr double kTruth = 500;
  std::mt19937_64 random(20261127);
  std::normal_distribution<double> normal;
  int missed = 0;
  int missed_naively = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<CountedSource> sources;
    double sigma = 40;
    for (int k = 0; k < 6; ++k) {
      const double noise = sigma * normal(random);
      sources.push_back(count_source(kTruth + noise, sigma));
      // Stops when it is right for those who want a miss, and takes what noise it likes next.
      if (std::abs(noise) > 1.7 * sigma) break;
      sigma *= noise > 0 ? 0.5 : 0.9;
    }
    const auto interval = record_interval(sources, kMiss, 0, kInfinity);
    if (kTruth < interval->lower || kTruth > interval->upper) ++missed;
    bool is_missed = false;
    for (const CountedSource& source : sources) {
      const double half = two_sided(kMiss) * source.parts[0].noise_stddev;
      is_missed = is_missed || std::abs(source.parts[0].counts[0] - kTruth) > half;
    }
    if (is_missed) ++missed_naively;
  }
  const double most =
      boost::math::quantile(boost::math::complement(boost::math::binomial(kRuns, kMiss), 1e-6));
  EXPECT_LE(missed, most) << "seed 20261127, runs " << kRuns;
  EXPECT_GT(missed_naively, most);
}

TEST(RecordInterval, MeasurementsThatDisagreeGiveAllOfTheirNumbers) {
  const std::vector<CountedSource> sources = {count_source(100, 5), count_source(200, 4)};
  const auto interval = record_interval(sources, 0.05, 0, kInfinity);
  EXPECT_TRUE(interval->is_split);
  EXPECT_LT(interval->lower, 100);
  EXPECT_GT(interval->upper, 200);
  EXPECT_EQ(interval->source, 1U);
}

TEST(RecordInterval, SaysNothingWhereNoiseHidesWhatItDividesBy) {
  CountedSource source{{{10, {5, 3}, {1, 0}, {1, 0}, {1, 0}, {1, 1}}}, 0, 0, 0, 0};
  EXPECT_TRUE(says_nothing(record_interval(std::vector{source}, 0.05, 0, 1)));
  EXPECT_FALSE(record_interval({}, 0.05, 0, 1));
  source.parts[0].counts = {500, 300};
  EXPECT_TRUE(record_interval(std::vector{source}, 0.05, 0, 1)->estimate);
}

TEST(RecordInterval, WhatIsPublicHasNoNoise) {
  const auto interval =
      record_interval(std::vector{CountedSource{{}, 30, 30, 30, 120}}, 0.05, 0, 1);
  EXPECT_EQ(interval->lower, 0.25);
  EXPECT_EQ(interval->upper, 0.25);
  // Nobody there is no share.
  EXPECT_TRUE(
      says_nothing(record_interval(std::vector{CountedSource{{}, 0, 0, 0, 0}}, 0.05, 0, 1)));
}

TEST(RecordInterval, KeepsTheDigitsOfLargeNumbers) {
  // Numbers near 1e9, a few apart.
  CountedSource source{
      {{2, {400, 600}, {1e9, 1e9 + 2}, {1e9, 1e9 + 2}, {1e9, 1e9 + 2}, {1, 1}}}, 0, 0, 0, 0};
  const auto interval = record_interval(std::vector{source}, 0.05, 1e9, 1e9 + 2);
  EXPECT_NEAR(*interval->estimate - 1e9, 1.2, 1e-5);
  EXPECT_NEAR(interval->upper - interval->lower, 0.016, 0.01);
}

}  // namespace equinoise::record_interval_test
