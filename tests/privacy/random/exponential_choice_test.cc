// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/exponential_choice.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/privacy/random/enumerated_trials.h"
#include "tests/privacy/random/random_trials.h"

namespace equinoise::exponential_choice_test {

constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

/// Pr[i] of the choice, to 256 bits, by taking every decision of a proposal both ways.
std::vector<Wide> distribution_of(const std::vector<int64_t>& scores, double epsilon,
                                  double sensitivity) {
  const ExponentialChoice choice(scores, epsilon, sensitivity);
  const auto distribution = EnumeratedTrials::distribution_of<std::optional<size_t>>(
      [&](EnumeratedTrials& trials) { return choice.propose(trials); }, Wide(0));
  const auto refused = distribution.find(std::nullopt);
  const Wide accepted = 1 - (refused == distribution.end() ? Wide(0) : refused->second);
  std::vector<Wide> probabilities;
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto found = distribution.find(i);
    probabilities.push_back(found == distribution.end() ? Wide(0) : found->second / accepted);
  }
  return probabilities;
}

TEST(ExponentialChoice, HasTheRatiosOfTheWeights) {
  const std::vector<int64_t> scores = {3, -7, 3, 12, 0, 12, 11};
  for (double epsilon : {0.0, 0.1, 1.0, 7.5}) {
    for (double sensitivity : {1.0, 3.0, 0.3}) {
      const std::vector<Wide> distribution = distribution_of(scores, epsilon, sensitivity);
      for (size_t i = 0; i < scores.size(); ++i) {
        const Wide expected =
            exp(Wide(epsilon) * Wide(scores[i] - scores[3]) / (2 * Wide(sensitivity)));
        EXPECT_LT(abs(distribution[i] / distribution[3] - expected), expected * Wide("1e-60"));
      }
    }
  }
}

/// Neighbours change every score by at most the sensitivity, each as it likes: the log-ratios lie
/// in an interval of width epsilon, and the worst case attains it.
TEST(ExponentialChoice, HasTheRangeThatIsCharged) {
  const double epsilon = 0.8;
  const std::vector<int64_t> scores = {40, 37, 40, 28};
  const std::vector<Wide> before = distribution_of(scores, epsilon, 5);
  Wide widest = 0;
  for (int change = 0; change < 81; ++change) {
    std::vector<int64_t> changed = scores;
    int rest = change;
    for (int64_t& score : changed) {
      score += 5 * (rest % 3 - 1);
      rest /= 3;
    }
    const std::vector<Wide> after = distribution_of(changed, epsilon, 5);
    Wide least = 1000;
    Wide greatest = -1000;
    for (size_t i = 0; i < scores.size(); ++i) {
      const Wide ratio = log(before[i] / after[i]);
      if (ratio < least) least = ratio;
      if (ratio > greatest) greatest = ratio;
    }
    EXPECT_LT(greatest - least, Wide(epsilon) * (1 + Wide("1e-60")));
    if (greatest - least > widest) widest = greatest - least;
  }
  EXPECT_GT(widest, Wide(epsilon) * (1 - Wide("1e-60")));
}

TEST(ExponentialChoice, HugeRangesNeitherOverflowNorTakeForever) {
  const std::vector<int64_t> scores = {kLowest, kHighest, 0, kHighest, kHighest - 1};
  for (double epsilon : {1e-300, 1e-19, 1.0, 1e300}) {
    for (double sensitivity : {1e-300, 1.0, 1e300}) {
      const ExponentialChoice choice(scores, epsilon, sensitivity);
      RandomTrials trials(5);
      for (int i = 0; i < 300; ++i) {
        const size_t index = choice.draw(trials);
        if (epsilon == 1.0 && sensitivity == 1.0) {
          EXPECT_TRUE(index == 1 || index == 3 || index == 4);
        }
      }
    }
  }
  // exp(-2^64 / 2^64): the lowest score is exp(-1) times as likely as the highest.
  const std::vector<Wide> distribution = distribution_of({kLowest, kHighest}, 0x1p-63, 1);
  EXPECT_LT(abs(distribution[0] / distribution[1] - exp(-(1 - ldexp(Wide(1), -64)))),
            Wide("1e-60"));
}

TEST(ExponentialChoice, EqualsTheFractionsOnTheSameWords) {
  const std::vector<int64_t> scores = {5, 100, 97, 3, 99, 100, -5};
  const ExponentialChoice choice(scores, 0.3, 2);
  SeededSource fast_source(9);
  SeededSource same_source(9);
  const auto fast_word = [&] { return fast_source.next(); };
  const auto same_word = [&] { return same_source.next(); };
  ExactTrials<decltype(fast_word)> fast(fast_word);
  ExactTrials<decltype(same_word), true> by_fractions(same_word);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(choice.draw(fast), choice.draw(by_fractions));
  EXPECT_EQ(fast_source.next(), same_source.next());
}

}  // namespace equinoise::exponential_choice_test
