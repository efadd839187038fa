// SPDX-License-Identifier: Apache-2.0
// What the intervals of a private evaluation of groups cover.

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>
#include <random>

#include "equinoise/audit/group_limit.h"
#include "equinoise/audit/private_group_rates.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"

namespace equinoise::private_group_rates_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261125;

/// One group: shares of the positive, and of errors among the negative and among the positive.
struct Population {
  int num_records;
  double positive;
  double false_positive;
  double false_negative;
  double noise_stddev;
};

class GroupCoverage : public ::testing::TestWithParam<Population> {};

/// The intervals are of 95 %, as good as normal approximations are: here, that they cover in 93 %
/// of all draws. If they do, misses exceed the critical number with a probability of the
/// significance.
TEST_P(GroupCoverage, IntervalsHoldChanceAndNoise) {
  constexpr double kCoverage = 0.93;
  constexpr int kDraws = 20'000;
  const Population& people = GetParam();
  const RateProgram program = group_rate_program({{{"sex", "F"}}, {{"sex", "M"}}}, 2);
  const double accuracy =
      1 - (1 - people.positive) * people.false_positive - people.positive * people.false_negative;
  Charge charge =
      Charge::unpaid({Event::repeat(kDraws, Event::discrete_gaussian(people.noise_stddev, 1))},
                     Relation::kZeroOut, SeededSource(kSeed));
  SeededSource source(kSeed);
  std::mt19937_64 choice(kSeed);  // of records: no part of the release
  const auto draw = [&](int64_t number, double share) {
    return std::binomial_distribution<int64_t>(number, share)(choice);
  };
  const double selected =
      (1 - people.positive) * people.false_positive + people.positive * (1 - people.false_negative);
  int num_misses[4] = {0, 0, 0, 0};
  int num_misses_without_noise = 0;
  for (int i = 0; i < kDraws; ++i) {
    const int64_t positive = draw(people.num_records, people.positive);
    const int64_t negative = people.num_records - positive;
    const int64_t false_positive = draw(negative, people.false_positive);
    const int64_t false_negative = draw(positive, people.false_negative);
    std::vector<int64_t> counts = {negative - false_positive, false_positive, false_negative,
                                   positive - false_negative};
    counts.insert(counts.end(), {900, 100, 100, 900});
    add_discrete_gaussian_noise(charge.take(0), Sensitivity(1, Norm::kL1, Relation::kZeroOut),
                                counts, source);
    const auto misses = [](const Estimate& rate, double truth) {
      // Where there is no figure there is no interval that could miss.
      return rate.interval.low > truth || rate.interval.high < truth ? 1 : 0;
    };
    const PrivateRates seen = read_group_rates(program, counts, people.noise_stddev)[0];
    num_misses[0] += misses(seen.accuracy, accuracy);
    num_misses[1] += misses(seen.false_positive_rate, people.false_positive);
    num_misses[2] += misses(seen.false_negative_rate, people.false_negative);
    num_misses[3] += misses(seen.selection_rate, selected);
    num_misses_without_noise += misses(read_group_rates(program, counts, 0)[0].accuracy, accuracy);
  }
  const boost::math::binomial distribution(kDraws, 1 - kCoverage);
  const double critical =
      boost::math::quantile(boost::math::complement(distribution, kSignificance));
  for (const int misses : num_misses) {
    std::printf("coverage %.4f: seed %llu, n %d, critical number of misses %.0f at %g\n",
                1 - misses / static_cast<double>(kDraws), static_cast<unsigned long long>(kSeed),
                kDraws, critical, kSignificance);
    EXPECT_LE(misses, critical);
  }
  // What the test can see: intervals that know nothing of the noise.
  EXPECT_GT(num_misses_without_noise, critical);
}

INSTANTIATE_TEST_SUITE_P(
    Populations, GroupCoverage,
    ::testing::Values(Population{1000, 0.3, 0.1, 0.4, 12}, Population{4000, 0.2, 0.05, 0.5, 25},
                      Population{30'000, 0.2, 0.05, 0.5, 120}, Population{200, 0.5, 0.2, 0.2, 5},
                      // Of whom some releases tell nothing.
                      Population{60, 0.5, 0.1, 0.3, 6}, Population{20, 0.5, 0.05, 0.1, 6}));

/// The limits of a private audit: the interval of the largest difference, and that of the smallest
/// ratio, of all pairs of groups of 30 to 30,000 records together hold the truth in 93 % of draws.
TEST(GroupLimits, OfAllPairsTogetherHold) {
  constexpr double kCoverage = 0.93;
  constexpr int kDraws = 4000;
  constexpr double kNoise = 4;
  const std::vector<int64_t> sizes = {30, 300, 3000, 30'000};
  const std::vector<double> selected = {0.3, 0.25, 0.2, 0.35};
  std::vector<GroupLabel> groups;
  for (size_t k = 0; k < sizes.size(); ++k) groups.push_back({{"g", std::to_string(k)}});
  const RateProgram program = group_rate_program(groups, 2);
  Charge charge = Charge::unpaid({Event::repeat(kDraws, Event::discrete_gaussian(kNoise, 1))},
                                 Relation::kZeroOut, SeededSource(kSeed));
  SeededSource source(kSeed);
  std::mt19937_64 choice(kSeed);
  const MetricRow& rate = find_metric("selection_rate");
  int num_misses[2] = {0, 0};
  int num_hidden = 0;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<int64_t> counts;
    for (size_t k = 0; k < sizes.size(); ++k) {
      const int64_t positive = std::binomial_distribution<int64_t>(sizes[k], selected[k])(choice);
      counts.insert(counts.end(), {sizes[k] - positive, 0, 0, positive});
    }
    add_discrete_gaussian_noise(charge.take(0), Sensitivity(1, Norm::kL1, Relation::kZeroOut),
                                counts, source);
    std::vector<Metrics> metrics;
    for (const PrivateRates& of : read_group_rates(program, counts, kNoise))
      metrics.push_back(metrics_of(of, true));
    metrics.pop_back();  // overall
    const GroupCheck difference = check_difference(rate, metrics, 1);
    const GroupCheck ratio = check_ratio(rate, metrics, 0.8);
    if (!difference.left_out.empty()) {
      ++num_hidden;  // the truth is of all groups
      continue;
    }
    num_misses[0] += difference.interval.low > 0.15 || difference.interval.high < 0.15 ? 1 : 0;
    const double truth = 0.2 / 0.35;
    num_misses[1] += ratio.interval.low > truth || ratio.interval.high < truth ? 1 : 0;
  }
  const int num_seen = kDraws - num_hidden;
  EXPECT_GT(num_seen, kDraws / 4);
  const boost::math::binomial distribution(num_seen, 1 - kCoverage);
  const double critical =
      boost::math::quantile(boost::math::complement(distribution, kSignificance));
  for (const int misses : num_misses) {
    std::printf("coverage %.4f: seed %llu, n %d, critical number of misses %.0f at %g\n",
                1 - misses / static_cast<double>(num_seen), static_cast<unsigned long long>(kSeed),
                num_seen, critical, kSignificance);
    EXPECT_LE(misses, critical);
  }
}

/// Of nobody a rate is told where noise alone makes a denominator that stands out, by 4 standard
/// deviations: with a probability of 3.17e-5. If so, more than the critical number are told with a
/// probability of the significance.
TEST(GroupRates, OfNobodyHardlyAnyIsTold) {
  constexpr int kDraws = 200'000;
  constexpr double kNoise = 6;
  const RateProgram program = group_rate_program({{{"sex", "F"}}, {{"sex", "M"}}}, 2);
  Charge charge = Charge::unpaid({Event::repeat(kDraws, Event::discrete_gaussian(kNoise, 1))},
                                 Relation::kZeroOut, SeededSource(kSeed));
  SeededSource source(kSeed);
  int num_told = 0;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<int64_t> counts(program.num_cells, 0);
    add_discrete_gaussian_noise(charge.take(0), Sensitivity(1, Norm::kL1, Relation::kZeroOut),
                                counts, source);
    const std::vector<PrivateRates> seen = read_group_rates(program, counts, kNoise);
    num_told += std::isnan(seen[0].accuracy.value) ? 0 : 1;
  }
  const boost::math::binomial distribution(kDraws, 3.17e-5);
  const double critical =
      boost::math::quantile(boost::math::complement(distribution, kSignificance));
  std::printf("told %d: seed %llu, n %d, critical number %.0f at %g\n", num_told,
              static_cast<unsigned long long>(kSeed), kDraws, critical, kSignificance);
  EXPECT_LE(num_told, critical);
}

}  // namespace equinoise::private_group_rates_stat_test
