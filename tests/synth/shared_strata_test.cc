// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/shared_strata.h"

#include <cmath>
#include <numeric>
#include <random>

#include "tests/test_support.h"

namespace equinoise::shared_strata_test {

double rho_of(const std::vector<StratumQuestion>& questions) {
  double rho = 0;
  for (const StratumQuestion& question : questions)
    rho += 0.5 / (question.noise_stddev * question.noise_stddev);
  return rho;
}

TEST(SharedStrata, QuestionsCostWhatTheyMayAndHaveLessNoiseIfTheyAreLong) {
  const Domain domain({{"a", 2}, {"b", 30}, {"c", 8}});
  const auto questions = stratum_questions(domain, {0, 0, 0}, 0.01, 1000, false, "test");
  ASSERT_THAT(questions, SizeIs(3));
  EXPECT_LE(rho_of(questions), 0.01);
  EXPECT_GT(rho_of(questions), 0.01 * (1 - 1e-9));
  EXPECT_NEAR(questions[0].noise_stddev / questions[1].noise_stddev, std::cbrt(15), 1e-9);
  // No other division has less error in all: move a little of the budget from one to another.
  const auto error = [&](double shift) {
    const double a = 0.5 / std::pow(questions[0].noise_stddev, 2) + shift;
    const double b = 0.5 / std::pow(questions[1].noise_stddev, 2) - shift;
    return 2 * std::sqrt(0.5 / a) + 30 * std::sqrt(0.5 / b);
  };
  EXPECT_GT(error(1e-5), error(0));
  EXPECT_GT(error(-1e-5), error(0));
  EXPECT_THAT(
      error_of(
          ErrorKind::kUsage,
          [&] {
            static_cast<void>(stratum_questions(domain, {0, 0, 0}, 1e-40, 1000, false, "test"));
          }),
      HasSubstr("too small"));
}

/// 18 bins and a missing code: two and nine bins a part, and so on, as long as parts hold two.
TEST(SharedStrata, BinsAreAskedInPartsToo) {
  const Domain domain({{"income", 19}, {"sex", 2}});
  const auto questions = stratum_questions(domain, {18, 0}, 0.01, 100000, false, "test");
  std::vector<std::pair<int, size_t>> asked;
  for (const StratumQuestion& question : questions)
    asked.emplace_back(question.attribute, question.parts);
  EXPECT_THAT(asked, ElementsAre(std::pair(0, 2), std::pair(0, 4), std::pair(0, 8), std::pair(0, 0),
                                 std::pair(1, 0)));
  EXPECT_LE(rho_of(questions), 0.01);
}

/// What a stratum asks is what its noise leaves something of, and that gets all of rho.
TEST(SharedStrata, WhatNoiseHidesIsNotAsked) {
  const Domain domain({{"income", 19}, {"sex", 2}});
  const std::vector<size_t> num_ordered = {18, 0};
  size_t before = 0;
  for (const int64_t size : {1, 10, 20, 40, 80, 160, 1000}) {
    const auto questions = stratum_questions(domain, num_ordered, 0.01, size, false, "test");
    EXPECT_GE(questions.size(), before) << size;
    before = questions.size();
    if (questions.empty()) continue;
    EXPECT_GT(rho_of(questions), 0.01 * (1 - 1e-9)) << size;
    for (const StratumQuestion& question : questions) {
      const size_t counts = question.parts > 0        ? question.parts + 1
                            : question.attribute == 0 ? 19
                                                      : 2;
      const double noise = 0.5 * std::sqrt(2 / M_PI) * question.noise_stddev *
                           static_cast<double>(counts) / static_cast<double>(size);
      EXPECT_LT(noise, kHidingNoise) << size;
    }
  }
  EXPECT_EQ(before, 5);
  EXPECT_THAT(stratum_questions(domain, num_ordered, 0.01, 1, false, "test"), IsEmpty());
  EXPECT_THAT(stratum_questions(domain, num_ordered, 0.01, 1, true, "test"), SizeIs(5));
}

TEST(SharedStrata, TheSmallestThatNoiseHidesAreNamed) {
  std::vector<StratumNoise> strata = {{"d", 400, 0.4}, {"c", 1200, 1}, {"b", 20, 7}};
  EXPECT_EQ(
      hidden_strata(strata, true),
      "Rows of 2 of 3 strata say little of their own stratum, which noise hides, as they have "
      "few records: b (20), c (1,200)");
  EXPECT_EQ(hidden_strata({strata[0]}, true), "");
  strata[0].error = 0.5;
  strata.push_back({"a", 5, 9});
  EXPECT_THAT(hidden_strata(strata, false),
              AllOf(HasSubstr("strata are mostly noise, as they have few records: a (5), b (20)"),
                    HasSubstr(", d (400) and 1 more")));
  EXPECT_EQ(hidden_strata({strata[0]}, true), "");
}

TEST(SharedStrata, PartsHoldNeighboursAndNest) {
  EXPECT_THAT(counts_of_codes(7, 5, 2), ElementsAre(0, 0, 0, 1, 1, 2, 3));
  EXPECT_THAT(counts_of_codes(4, 3, 0), ElementsAre(0, 1, 2, 3));
  for (size_t bins = 4; bins < 70; ++bins) {
    for (size_t parts = 2; 4 * parts <= bins; parts *= 2) {
      const std::vector<size_t> coarse = counts_of_codes(bins + 1, bins, parts);
      const std::vector<size_t> fine = counts_of_codes(bins + 1, bins, 2 * parts);
      for (size_t code = 0; code < bins; ++code) EXPECT_EQ(coarse[code], fine[code] / 2);
      EXPECT_EQ(coarse[bins], parts);
      EXPECT_EQ(fine[bins], 2 * parts);
    }
  }
}

TEST(SharedStrata, NoiseErrorIsThatOfAllRecordsOverTheSize) {
  const Domain domain({{"a", 2}, {"b", 4}});
  const auto questions = stratum_questions(domain, {0, 0}, 0.01, 1000, true, "test");
  const double all = 0.5 * std::sqrt(2 / M_PI) *
                     (questions[0].noise_stddev * 2 + questions[1].noise_stddev * 4) / 2;
  EXPECT_NEAR(stratum_noise_error(domain, 0.01, 100), all / 100, 1e-9);
  EXPECT_NEAR(stratum_noise_error(domain, 0.01, 0), all, 1e-7) << "finite for nobody";
}

StratumCounts stratum(const std::vector<double>& expected, const std::vector<double>& measured,
                      double stddev) {
  StratumCounts result;
  result.expected = {expected};
  if (!measured.empty()) result.measured = {{{{}, stddev, measured}}};
  return result;
}

double sum_of(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

TEST(SharedStrata, EachGetsItsOwnCountsWhereThereIsNoNoise) {
  const auto shrunk = shrunk_strata(
      {stratum({500, 500}, {900, 100}, 0.1), stratum({300, 300}, {60, 540}, 0.1)}, {}, {0});
  EXPECT_NEAR(shrunk[0][0][0], 900, 2);
  EXPECT_NEAR(shrunk[1][0][0], 60, 2);
}

/// Sums are the public sizes, whatever was drawn.
TEST(SharedStrata, KeepsSizes) {
  const auto shrunk = shrunk_strata(
      {stratum({500, 400, 100}, {700, -20, 90}, 50), stratum({5, 4, 1}, {}, 0)}, {{0, 0}}, {3});
  EXPECT_NEAR(sum_of(shrunk[0][0]), 1000, 1e-9);
  EXPECT_NEAR(sum_of(shrunk[1][0]), 10, 1e-9);
}

/// A stratum that measures nothing follows the larger group that it is in, and no other one.
TEST(SharedStrata, SmallStrataBorrowFromLargerGroups) {
  const std::vector<StratumCounts> strata = {stratum({500, 500}, {900, 100}, 1),
                                             stratum({500, 500}, {500, 500}, 1),
                                             stratum({10, 10}, {}, 0)};
  EXPECT_NEAR(shrunk_strata(strata, {{0, 1, 0}}, {0})[2][0][0], 18, 0.2);
  EXPECT_NEAR(shrunk_strata(strata, {{0, 1, 1}}, {0})[2][0][0], 10, 0.2);
  EXPECT_NEAR(shrunk_strata(strata, {}, {0})[2][0][0], 10, 1e-9);
}

/// The mean error over strata whose truth is the model's times a ratio: shrunk counts are nearer
/// to it than the model and than the counts.
TEST(SharedStrata, ShrinkageIsBetterThanBothEnds) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<StratumCounts> strata;
  std::vector<std::vector<double>> truths;
  const double stddev = 40;
  for (int s = 0; s < 12; ++s) {
    std::vector<double> expected(16, 1000.0 / 16);
    std::vector<double> truth;
    for (const double count : expected) truth.push_back(count * std::exp(0.7 * normal(random)));
    for (double& count : truth) count *= 1000 / sum_of(truth);
    std::vector<double> noisy = truth;
    for (double& count : noisy) count += stddev * normal(random);
    strata.push_back(stratum(expected, noisy, stddev));
    truths.push_back(truth);
  }
  const auto shrunk = shrunk_strata(strata, {}, {0});
  double of_model = 0;
  double of_counts = 0;
  double of_shrunk = 0;
  for (size_t s = 0; s < strata.size(); ++s) {
    for (size_t code = 0; code < 16; ++code) {
      const double truth = truths[s][code];
      of_model += std::abs(strata[s].expected[0][code] - truth);
      of_counts += std::abs(std::max(0.0, strata[s].measured[0][0].counts[code]) - truth);
      of_shrunk += std::abs(shrunk[s][0][code] - truth);
    }
  }
  EXPECT_LT(of_shrunk, 0.95 * of_model);
  EXPECT_LT(of_shrunk, 0.95 * of_counts);
}

/// A tail that noise hides bin by bin shows as a whole.
TEST(SharedStrata, NeighbouringBinsAreMovedTogether) {
  std::vector<double> expected(64, 10);
  std::vector<double> truth(64, 2);
  for (size_t bin = 0; bin < 8; ++bin) truth[bin] = 66;
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> noisy = truth;
  for (double& count : noisy) count += 15 * normal(random);
  const auto tail = [](const std::vector<double>& counts) {
    return std::accumulate(counts.begin() + 8, counts.end(), 0.0);
  };
  const double apart = tail(shrunk_strata({stratum(expected, noisy, 15)}, {}, {0})[0][0]);
  const double together = tail(shrunk_strata({stratum(expected, noisy, 15)}, {}, {64})[0][0]);
  EXPECT_LT(std::abs(together - 112), 100);
  EXPECT_LE(std::abs(together - 112), std::abs(apart - 112) + 20);
}

/// Halves that are counted by themselves have less noise than sums of noisy bins, and both are
/// used.
TEST(SharedStrata, PartsAddWhatBinsDoNotShow) {
  const std::vector<double> expected(32, 10);
  std::vector<double> truth(32, 4);
  for (size_t bin = 0; bin < 16; ++bin) truth[bin] = 16;
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  double of_bins = 0;
  double of_both = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> noisy = truth;
    for (double& count : noisy) count += 60 * normal(random);
    StratumCounts counts = stratum(expected, noisy, 60);
    const auto upper_half = [&] {
      const auto shrunk = shrunk_strata({counts}, {}, {32});
      return std::accumulate(shrunk[0][0].begin() + 16, shrunk[0][0].end(), 0.0);
    };
    of_bins += std::abs(upper_half() - 64);
    counts.measured[0].push_back(
        {{}, 30, {256 + 30 * normal(random), 64 + 30 * normal(random)}, {}, {}, 2});
    of_both += std::abs(upper_half() - 64);
  }
  EXPECT_LT(of_both, 0.6 * of_bins);
}

/// A column of which a stratum asked nothing follows the model of everybody.
TEST(SharedStrata, ColumnsWithoutAnswersStay) {
  StratumCounts counts;
  counts.expected = {{500, 500}, {800, 200}};
  counts.measured = {{{{}, 1, {900, 100}}}, {}};
  const auto shrunk = shrunk_strata({counts}, {}, {0, 0});
  EXPECT_NEAR(shrunk[0][0][0], 900, 1);
  EXPECT_NEAR(shrunk[0][1][0], 800, 1e-9);
}

/// Moves single columns alone: what depends on them keeps its odds.
TEST(SharedStrata, RakingKeepsDependences) {
  const Domain domain({{"a", 2}, {"b", 2}});
  const GraphicalModel prior(domain, {{{0, 1}, {std::log(4), 0, 0, std::log(2)}}}, 80);
  SynthConfig config;
  const TaskProgress silent;
  const GraphicalModel model = raked(prior, {{40, 40}, {50, 30}}, config, silent);
  const std::vector<double> pair = model.marginal({0, 1});
  EXPECT_NEAR(pair[0] + pair[1], 40, 0.3);
  EXPECT_NEAR(pair[0] + pair[2], 50, 0.3);
  EXPECT_NEAR(pair[0] * pair[3] / (pair[1] * pair[2]), 8, 1e-6);
}

}  // namespace equinoise::shared_strata_test
