// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/pair_screening.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/vector_maths.h"

namespace equinoise::pair_screening_test {
namespace {

using Pairs = std::vector<std::array<size_t, 2>>;

double mean_product(std::span<const double> shares, std::span<const double> a,
                    std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) sum += shares[i] * a[i] * b[i];
  return sum;
}

void expect_orthonormal(std::span<const double> shares, const ColumnFunctions& functions) {
  const std::vector<double> ones(shares.size(), 1.0);
  for (size_t j = 0; j < functions.size(); ++j) {
    EXPECT_NEAR(mean_product(shares, functions[j], ones), 0, 1e-9);
    for (size_t k = 0; k <= j; ++k)
      EXPECT_NEAR(mean_product(shares, functions[j], functions[k]), j == k ? 1 : 0, 1e-9);
  }
}

TEST(ColumnFunctions, AreOrthonormalOverShares) {
  const std::vector<double> even(10, 0.1);
  EXPECT_EQ(functions_of_number(even).size(), 2);
  expect_orthonormal(even, functions_of_number(even));
  const std::vector<double> shares = {0.5, 0.3, 0.2};
  EXPECT_EQ(functions_of_categories(shares, std::vector<double>{0.1, -1, 2}).size(), 2);
  expect_orthonormal(shares, functions_of_categories(shares, std::vector<double>{0.1, -1, 2}));
  // Effects that noise hid are all 0: the most frequent categories remain.
  EXPECT_EQ(functions_of_categories(shares, std::vector<double>(3, 0.0)).size(), 2);
}

TEST(ColumnFunctions, AreNoneWhereAColumnHasOneValueAndBoundedWhereOneIsRare) {
  EXPECT_TRUE(functions_of_number(std::vector<double>{0, 1, 0}).empty());
  EXPECT_EQ(
      functions_of_categories(std::vector<double>{0.6, 0.4}, std::vector<double>{1, -1.5}).size(),
      1);
  const ColumnFunctions rare =
      functions_of_categories(std::vector<double>{1 - 1e-6, 1e-6}, std::vector<double>{0, 1});
  for (const std::vector<double>& one : rare)
    for (const double value : one) EXPECT_LE(std::fabs(value), 3);
}

/// Records with two numbers of 16 cells, two columns of 3 categories and one of 2, and a residual
/// for each: noise, and a part that two columns make together.
struct Example {
  EncodedTable table;
  std::vector<ColumnFunctions> functions;
  std::vector<double> residuals;
};

enum class Planted { kNothing, kProduct, kXor, kSlope };

Example example_of(Planted planted, double part, int64_t num_records, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  const std::vector<uint32_t> widths = {16, 16, 3, 3, 2};
  Example made;
  made.table.num_records = num_records;
  made.table.num_active = static_cast<uint32_t>(widths.size());
  uint32_t first = 0;
  for (const uint32_t width : widths) {
    made.table.blocks.push_back(first);
    first += width;
    const std::vector<double> even(width, 1.0 / width);
    made.functions.push_back(width == 16
                                 ? functions_of_number(even)
                                 : functions_of_categories(even, std::vector<double>(width, 0.0)));
  }
  made.table.num_features = first;
  made.table.contributes.assign(static_cast<size_t>(num_records), 1);
  for (int64_t i = 0; i < num_records; ++i) {
    std::vector<uint32_t> cells;
    for (const uint32_t width : widths) cells.push_back(static_cast<uint32_t>(generator() % width));
    for (size_t c = 0; c < widths.size(); ++c)
      made.table.active.push_back(made.table.blocks[c] + cells[c]);
    const double place = (cells[0] - 7.5) / 4.6;
    double signal = 0;
    if (planted == Planted::kProduct) signal = place * (cells[1] - 7.5) / 4.6;
    if (planted == Planted::kXor) signal = cells[2] == cells[3] ? std::sqrt(2) : -std::sqrt(0.5);
    if (planted == Planted::kSlope) signal = cells[4] == 0 ? place : -place;
    made.residuals.push_back(0.4 * (std::sqrt(part) * signal + normal(generator)));
  }
  return made;
}

AdditiveDescentConfig config_of(AdditiveTarget target, size_t num_scores, int threads = 1) {
  AdditiveDescentConfig config;
  config.target = target;
  config.num_scores = num_scores;
  config.spread = 0.4;
  config.threads = threads;
  return config;
}

Pairs chosen(const Example& example, double noise_multiplier, uint64_t seed,
             const AdditiveDescentConfig& config = config_of(AdditiveTarget::kNumber, 1)) {
  const PairScreening screening(example.table, example.functions, config, noise_multiplier);
  std::vector<int64_t> sums = screening.sum_up(example.residuals);
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> noise(0, noise_multiplier * screening.sensitivity());
  for (int64_t& sum : sums) sum += std::llround(noise(generator));
  return screening.choose(sums, static_cast<double>(example.table.num_records), 8).pairs;
}

TEST(PairScreening, FindsWhatTwoColumnsSayTogether) {
  EXPECT_EQ(chosen(example_of(Planted::kProduct, 0.01, 30'000, 1), 20, 2), (Pairs{{0, 1}}));
  EXPECT_EQ(chosen(example_of(Planted::kXor, 0.01, 30'000, 3), 20, 4), (Pairs{{2, 3}}));
  EXPECT_EQ(chosen(example_of(Planted::kSlope, 0.01, 30'000, 5), 20, 6), (Pairs{{0, 4}}));
}

/// One run in twenty chooses a pair where there is none: of 300 runs at most 27, which happens with
/// probability .998 if the claim is true.
TEST(PairScreening, RarelyChoosesWhereThereIsNothing) {
  int found = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const double noise = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 2 : 30;
    if (!chosen(example_of(Planted::kNothing, 0, 1500, seed), noise, seed + 1000).empty()) ++found;
  }
  EXPECT_LE(found, 27);
}

/// Residuals of classes whose scores are sums over single columns, at the scores themselves: the
/// rare class has the longest ones. Of 40 runs at most 5 choose a pair, with probability .98 or
/// more if one in twenty does.
TEST(PairScreening, RarelyChoosesWhereSingleColumnsTellTheClass) {
  for (const size_t num_classes : {2U, 3U}) {
    int found = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Example example = example_of(Planted::kNothing, 0, 20'000, seed);
      std::mt19937_64 generator(seed + 77);
      std::uniform_real_distribution<double> uniform;
      example.residuals.clear();
      for (int64_t i = 0; i < 20'000; ++i) {
        const auto cells = example.table.active_row(i);
        double score = 1.2 * (cells[2] % 3) + 1.2 * (cells[3] % 3) + cells[4] % 2 - 4.5;
        score += 0.08 * (cells[0] + cells[1] - 16);
        std::vector<double> of_classes = {1, std::exp(score), std::exp(-score - 3)};
        of_classes.resize(num_classes);
        double sum = 0;
        for (const double one : of_classes) sum += one;
        const double draw = uniform(generator) * sum;
        size_t label = 0;
        for (double below = of_classes[0]; below < draw && label + 1 < num_classes;)
          below += of_classes[++label];
        if (num_classes == 2) {
          example.residuals.push_back((label == 1 ? 1 : 0) - of_classes[1] / sum);
          continue;
        }
        for (size_t k = 0; k < num_classes; ++k)
          example.residuals.push_back((label == k ? 1 : 0) - of_classes[k] / sum);
      }
      const AdditiveDescentConfig config = num_classes == 2
                                               ? config_of(AdditiveTarget::kTwoClasses, 1)
                                               : config_of(AdditiveTarget::kClasses, num_classes);
      if (!chosen(example, 2, seed + 1000, config).empty()) ++found;
    }
    EXPECT_LE(found, 5) << num_classes;
  }
}

/// One record becomes null, or one that was null has whatever values: the sums change by no more
/// than the sensitivity, which is attained.
TEST(PairScreening, ARecordChangesTheSumsByNoMoreThanTheSensitivity) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  double largest = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Example example = example_of(Planted::kNothing, 0, 20, static_cast<uint64_t>(trial));
    const size_t num_scores = 1 + static_cast<size_t>(trial % 3);
    example.residuals.resize(20 * num_scores);
    for (double& residual : example.residuals) residual = std::pow(10, normal(generator));
    if (trial % 7 == 0) example.residuals[5 * num_scores] = 1e300;
    if (trial % 11 == 0) example.residuals[5 * num_scores] = std::nan("");
    const double noise = std::pow(10, normal(generator));
    const AdditiveTarget target = num_scores > 1   ? AdditiveTarget::kClasses
                                  : trial % 2 == 0 ? AdditiveTarget::kNumber
                                                   : AdditiveTarget::kTwoClasses;
    const PairScreening screening(example.table, example.functions,
                                  config_of(target, num_scores, 2), noise);
    const std::vector<int64_t> with = screening.sum_up(example.residuals);
    example.table.contributes[5] = 0;
    const std::vector<int64_t> without = screening.sum_up(example.residuals);
    const double change = testing::distance(with, without);
    EXPECT_LE(change, screening.sensitivity());
    largest = std::max(largest, change / screening.sensitivity());
  }
  EXPECT_GT(largest, 0.98) << "no record came near the bound, which then proves little";
}

/// The length of later steps follows this size, so it must not vanish with a small noisy sum.
TEST(PairScreening, NoiseThatHidesResidualsDoesNotMakeTheirSizeZero) {
  const Example example = example_of(Planted::kNothing, 0, 100, 3);
  const PairScreening screening(example.table, example.functions,
                                config_of(AdditiveTarget::kNumber, 1), 50);
  const std::vector<int64_t> none(screening.sum_up(example.residuals).size(), 0);
  EXPECT_GT(screening.choose(none, 100, 8).mean_square, 0);
}

TEST(PairScreening, SumsAreTheSameOnAnyNumberOfThreadsAndCountRecordsOfARow) {
  Example example = example_of(Planted::kProduct, 0.1, 9000, 3);
  const auto sums = [&](int threads) {
    return PairScreening(example.table, example.functions,
                         config_of(AdditiveTarget::kNumber, 1, threads), 1)
        .sum_up(example.residuals);
  };
  const std::vector<int64_t> once = sums(1);
  EXPECT_EQ(once, sums(3));
  example.table.row_counts.assign(9000, 2);
  std::vector<int64_t> twice = once;
  for (int64_t& sum : twice) sum *= 2;
  EXPECT_EQ(sums(1), twice);
}

}  // namespace
}  // namespace equinoise::pair_screening_test
