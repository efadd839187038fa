// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/empirical_privacy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/test_support.h"

namespace equinoise::empirical_privacy_test {

using testing::DistinguishingGame;
using testing::empirical_epsilon;
using testing::EmpiricalPrivacy;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Without a wrong guess the upper limit of a rate is 1 - (significance / 2)^(1 / n).
TEST(EmpiricalEpsilon, OfAGameWithoutAWrongGuess) {
  const double rate = 1 - std::pow(0.005, 1.0 / 500);
  EXPECT_NEAR(empirical_epsilon({500, 0, 500, 0}, 0, 0.01), std::log((1 - rate) / rate), 1e-9);
  EXPECT_NEAR(empirical_epsilon({500, 0, 500, 0}, 0, 0.01), 4.54, 0.005);
  EXPECT_NEAR(empirical_epsilon({500, 0, 500, 0}, 0.1, 0.01), std::log((0.9 - rate) / rate), 1e-9);
}

TEST(EmpiricalEpsilon, NothingCanBeToldOfACoin) {
  for (const DistinguishingGame& none : {DistinguishingGame{0, 0, 0, 0}, {1000, 0, 0, 0}})
    EXPECT_TRUE(std::isnan(empirical_epsilon(none, 0, 1e-6)));
  EXPECT_EQ(empirical_epsilon({1000, 500, 1000, 500}, 0, 1e-6), 0);
  EXPECT_EQ(empirical_epsilon({1000, 1000, 1000, 1000}, 0, 1e-6), 0);
  EXPECT_EQ(empirical_epsilon({1000, 0, 1000, 1000}, 0, 1e-6), 0);
}

/// Either kind of error may be the rare one.
TEST(EmpiricalEpsilon, IsSymmetricInBothErrors) {
  EXPECT_EQ(empirical_epsilon({3000, 2500, 4000, 7}, 0.01, 1e-6),
            empirical_epsilon({4000, 7, 3000, 2500}, 0.01, 1e-6));
  EXPECT_GT(empirical_epsilon({3000, 2500, 4000, 7}, 0.01, 1e-6), 2);
}

TEST(EmpiricalEpsilon, FallsWithDeltaAndWithTheSignificance) {
  const DistinguishingGame game{10'000, 2000, 10'000, 500};
  const double bound = empirical_epsilon(game, 0.01, 1e-3);
  EXPECT_GT(bound, empirical_epsilon(game, 0.02, 1e-3));
  EXPECT_GT(bound, empirical_epsilon(game, 0.01, 1e-6));
  EXPECT_LT(bound, std::log(0.79 / 0.05));
  EXPECT_EQ(empirical_epsilon(game, 0.9, 1e-3), 0);
}

/// Randomised response with epsilon log 3, whose best guess is wrong with probability 1/4: the
/// bound exceeds epsilon in at most a share `significance` of all games.
TEST(EmpiricalEpsilon, ExceedsTheTruthNoOftenerThanItsSignificance) {
  constexpr double kSignificance = 0.05;
  constexpr int kGames = 20'000;
  std::mt19937_64 random(20261125);
  int too_large = 0;
  for (int i = 0; i < kGames; ++i) {
    std::binomial_distribution<int64_t> wrong(400, 0.25);
    const DistinguishingGame game{400, wrong(random), 400, wrong(random)};
    too_large += empirical_epsilon(game, 0, kSignificance) > std::log(3.0) ? 1 : 0;
  }
  std::printf("seed 20261125, %d games, %d bounds above the truth, %g expected at most\n", kGames,
              too_large, kSignificance * kGames);
  EXPECT_LE(too_large, kSignificance * kGames);
}

TEST(EmpiricalEpsilon, FromScoresFindsAThreshold) {
  std::vector<double> with;
  std::vector<double> without;
  for (int i = 0; i < 2000; ++i) {
    with.push_back(i % 8 < 2 ? 10 : i % 10);
    without.push_back(i % 10);
  }
  const EmpiricalPrivacy found = empirical_epsilon(with, without, 0, 1e-6);
  EXPECT_EQ(found.threshold, 10);
  EXPECT_EQ(found.game.num_with, 1000);
  EXPECT_EQ(found.game.num_without, 1000);
  EXPECT_EQ(found.game.false_positives, 0);
  EXPECT_EQ(found.epsilon, empirical_epsilon(found.game, 0, 1e-6));
  EXPECT_GT(found.epsilon, 2);
}

TEST(EmpiricalEpsilon, FromScoresOfOneDistributionIsNothing) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> with(10'000);
  std::vector<double> without(10'000);
  for (double& score : with) score = normal(random);
  for (double& score : without) score = normal(random);
  EXPECT_EQ(empirical_epsilon(with, without, 0, 1e-6).epsilon, 0);
}

TEST(EmpiricalEpsilon, RefusesWhatIsNoGame) {
  const DistinguishingGame game{10, 1, 10, 1};
  for (const DistinguishingGame& wrong :
       {DistinguishingGame{10, 11, 10, 1}, DistinguishingGame{10, -1, 10, 1},
        DistinguishingGame{10, 1, 10, 11}, DistinguishingGame{-1, 0, 10, 1}}) {
    error_of(ErrorKind::kUsage, [&] { empirical_epsilon(wrong, 0, 1e-6); });
  }
  for (double delta : {-0.1, 1.0, kNaN}) {
    const std::string message =
        error_of(ErrorKind::kUsage, [&] { empirical_epsilon(game, delta, 1e-6); });
    EXPECT_NE(message.find("delta"), std::string::npos) << message;
  }
  for (double significance : {0.0, 1.0, kNaN}) {
    const std::string message =
        error_of(ErrorKind::kUsage, [&] { empirical_epsilon(game, 0, significance); });
    EXPECT_NE(message.find("significance"), std::string::npos) << message;
  }
  const std::vector<double> scores = {1, 2, 3, 4};
  const std::vector<double> with_nan = {1, 2, kNaN, 4};
  const std::vector<double> one = {1};
  error_of(ErrorKind::kUsage, [&] { empirical_epsilon(scores, with_nan, 0, 1e-6); });
  error_of(ErrorKind::kUsage, [&] { empirical_epsilon(with_nan, scores, 0, 1e-6); });
  error_of(ErrorKind::kUsage, [&] { empirical_epsilon(scores, one, 0, 1e-6); });
}

}  // namespace equinoise::empirical_privacy_test
