// SPDX-License-Identifier: Apache-2.0
// The noise of a private evaluation and what its intervals cover.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>
#include <random>

#include "equinoise/audit/goodness_of_fit.h"
#include "equinoise/audit/private_constraint_check.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/privacy/mechanisms/permits.h"

namespace equinoise::private_constraint_check_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261122;

using testing::compiled;

TEST(PrivateEvaluation, TheNoiseIsTheOneThatIsChargedFor) {
  constexpr double kStddev = 2.5;
  constexpr int64_t kReach = 9;  // beyond it a value counts as that
  constexpr int64_t kRuns = 20'000;
  const RateProgram program = compiled("equalized_odds:sex:0.1");
  EncodedTable table;
  table.num_records = 60;
  std::vector<GroupId> contexts;
  Predictions predictions;
  for (uint32_t i = 0; i < 60; ++i) {
    contexts.push_back(GroupId(i % 2));
    table.contributes.push_back(i % 7 != 0);
    table.labels.push_back(static_cast<uint16_t>(i / 2 % 2));
    predictions.predicted.push_back(static_cast<uint16_t>(i / 4 % 2));
  }
  const auto exact = count_cells(program, table, contexts, predictions);
  Charge charge = Charge::unpaid({Event::repeat(kRuns, Event::discrete_gaussian(kStddev, 1))},
                                 Relation::kZeroOut, SeededSource(kSeed));
  SeededSource source(kSeed);
  std::vector<double> observed(2 * kReach + 1, 0);
  for (int64_t run = 0; run < kRuns; ++run) {
    const auto noisy =
        noisy_cell_counts(charge.take(0), program, table, contexts, predictions, source);
    for (size_t c = 0; c < noisy.size(); ++c) {
      const int64_t noise = std::clamp(noisy[c] - exact[c], -kReach, kReach);
      ++observed[static_cast<size_t>(noise + kReach)];
    }
  }
  const auto masses = [&](double stddev) {
    std::vector<double> all(observed.size(), 0);
    for (int64_t y = -100; y <= 100; ++y) {
      const auto place = static_cast<size_t>(std::clamp(y, -kReach, kReach) + kReach);
      all[place] += std::exp(-static_cast<double>(y * y) / (2 * stddev * stddev));
    }
    return all;
  };
  const GoodnessOfFit fit = chi_square_fit(observed, masses(kStddev), kSignificance);
  std::printf("noise: seed %llu, n %lld x %zu, chi-square %.4g, critical %.4g at %g\n",
              static_cast<unsigned long long>(kSeed), static_cast<long long>(kRuns), exact.size(),
              fit.statistic, fit.critical, kSignificance);
  EXPECT_TRUE(fit.fits());
  // What the test can see: a scale that is off by a twentieth.
  EXPECT_FALSE(chi_square_fit(observed, masses(kStddev * 1.05), kSignificance).fits());
}

/// Records of two groups, each of which is predicted positive with its own probability.
struct Population {
  double women;
  double men;
  int num_women;
  int num_men;
  double noise_stddev;
};

class Coverage : public ::testing::TestWithParam<Population> {};

/// The intervals are of 95 %, as good as normal approximations are: here, that they cover in 93 %
/// of all draws. If they do, misses exceed the critical number with a probability of the
/// significance.
TEST_P(Coverage, IntervalsHoldChanceAndNoise) {
  constexpr double kCoverage = 0.93;
  constexpr int kDraws = 20'000;
  const Population& people = GetParam();
  const double truth = people.women - people.men;
  const RateProgram program = compiled("demographic_parity:sex:0.1");
  const RateProgram::Constraint& first = program.constraints[0];
  const size_t women = first.terms[0].coefficient > 0 ? first.terms[0].rate : first.terms[1].rate;
  const size_t men = first.terms[0].rate + first.terms[1].rate - women;
  Charge charge =
      Charge::unpaid({Event::repeat(kDraws, Event::discrete_gaussian(people.noise_stddev, 1))},
                     Relation::kZeroOut, SeededSource(kSeed));
  SeededSource source(kSeed);
  std::mt19937_64 choice(kSeed);  // of records: no part of the release
  int num_misses = 0;
  int misses_without_noise = 0;
  std::vector<int64_t> counts(program.num_cells, 0);
  const auto fill = [&](const RateProgram::CellRate& rate, double share, int size) {
    std::binomial_distribution<int64_t> positive(size, share);
    const int64_t found = positive(choice);
    for (const uint32_t cell : rate.denominator) counts[cell] = size - found;
    for (const uint32_t cell : rate.numerator) counts[cell] = found;
  };
  for (int draw = 0; draw < kDraws; ++draw) {
    fill(program.rates[women], people.women, people.num_women);
    fill(program.rates[men], people.men, people.num_men);
    add_discrete_gaussian_noise(charge.take(0), Sensitivity(1, Norm::kL1, Relation::kZeroOut),
                                counts, source);
    const auto misses = [&](double noise_stddev) {
      const Interval interval = check_counts(program, counts, noise_stddev)[0].value.interval;
      return interval.low > truth || interval.high < truth ? 1 : 0;
    };
    num_misses += misses(people.noise_stddev);
    misses_without_noise += misses(0);
  }
  const boost::math::binomial distribution(kDraws, 1 - kCoverage);
  const double critical =
      boost::math::quantile(boost::math::complement(distribution, kSignificance));
  std::printf(
      "coverage %.4f (%.4f if the noise were left out): seed %llu, n %d, critical number "
      "of misses %.0f at %g\n",
      1 - num_misses / static_cast<double>(kDraws),
      1 - misses_without_noise / static_cast<double>(kDraws),
      static_cast<unsigned long long>(kSeed), kDraws, critical, kSignificance);
  EXPECT_LE(num_misses, critical);
  // What the test can see: intervals that know nothing of the noise.
  EXPECT_GT(misses_without_noise, critical);
}

INSTANTIATE_TEST_SUITE_P(
    Populations, Coverage,
    ::testing::Values(Population{0.3, 0.4, 400, 600, 16}, Population{0.1, 0.3, 3000, 6000, 12},
                      Population{0.02, 0.3, 80, 3000, 4}, Population{0, 0.02, 150, 1000, 8},
                      Population{0.5, 0.5, 60, 60, 10}, Population{0.9, 1, 40, 4000, 5},
                      // Rates that the noise hides.
                      Population{1, 0.2, 3, 12000, 4.5}, Population{1, 0.2, 8, 12000, 4.5},
                      Population{1, 0, 5, 5, 20}, Population{0.9, 0.1, 5, 5, 20}));

}  // namespace equinoise::private_constraint_check_stat_test
