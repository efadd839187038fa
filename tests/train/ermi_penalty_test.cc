// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/ermi_penalty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
#include "tests/matchers.h"

namespace equinoise::ermi_penalty_test {

/// Ten records of two groups and the soft predictions of two classes.
const std::vector<uint32_t> kPlaces = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
const std::vector<double> kSecond = {0.9, 0.7, 0.8, 0.5, 0.1, 0.2, 0.4, 0.3, 0.05, 0.6};

std::vector<double> shares_of(const std::vector<double>& second) {
  std::vector<double> shares;
  for (const double share : second) shares.insert(shares.end(), {1 - share, share});
  return shares;
}

ErmiConfig config_of_two() {
  ErmiConfig config;
  config.batch_size = 10;
  config.shares = {0.4, 0.6};
  config.penalty = 2;
  config.ascent_radius = usual_ascent_radius(config.shares, 2);
  config.ascent_clip = 100;
  return config;
}

std::vector<int64_t> units_of(const ErmiPenalty& penalty, const std::vector<uint32_t>& places,
                              const std::vector<double>& shares) {
  std::vector<int64_t> units(penalty.num_sums(), 0);
  penalty.add_sums(places, shares, {}, units);
  return units;
}

std::vector<double> sums_of(const ErmiPenalty& penalty, const std::vector<uint32_t>& places,
                            const std::vector<double>& shares) {
  std::vector<double> sums;
  for (const int64_t unit : units_of(penalty, places, shares))
    sums.push_back(std::ldexp(static_cast<double>(unit), -ErmiPenalty::kUnitBits));
  return sums;
}

double norm_of_units(const std::vector<int64_t>& units) {
  long double squared = 0;
  for (const int64_t unit : units) squared += static_cast<long double>(unit) * unit;
  return static_cast<double>(std::sqrt(squared));
}

/// sum over classes and groups of P(k, s)^2 / (P(k) P(s)) - 1, the definition.
double mutual_information(const std::vector<double>& second) {
  double both[2][2] = {};
  for (size_t i = 0; i < kPlaces.size(); ++i) {
    both[0][kPlaces[i]] += (1 - second[i]) / 10;
    both[1][kPlaces[i]] += second[i] / 10;
  }
  double information = -1;
  for (const auto& of_class : both)
    for (size_t s = 0; s < 2; ++s)
      information += of_class[s] * of_class[s] / (of_class[0] + of_class[1]) / (s == 0 ? 0.4 : 0.6);
  return information;
}

TEST(ErmiPenalty, AscendsToTheMutualInformation) {
  ErmiPenalty penalty(config_of_two());
  const std::vector<double> shares = shares_of(kSecond);
  for (int step = 0; step < 2000; ++step) penalty.take_sums(sums_of(penalty, kPlaces, shares));
  // The gradient vanishes there, and the value is the mean over records of what they add.
  for (const double sum : sums_of(penalty, kPlaces, shares)) EXPECT_NEAR(sum, 0, 1e-5);
  const std::span<const double> w = penalty.w();
  double value = -1;
  for (size_t i = 0; i < kPlaces.size(); ++i) {
    for (size_t k = 0; k < 2; ++k) {
      const double root = std::sqrt(kPlaces[i] == 0 ? 0.4 : 0.6);
      const double worth = 2 * w[kPlaces[i] * 2 + k] / root - w[k] * w[k] - w[2 + k] * w[2 + k];
      value += shares[2 * i + k] * worth / 10;
    }
  }
  EXPECT_NEAR(value, mutual_information(kSecond), 1e-6);
  EXPECT_GT(value, 0.1);
}

/// At the best W the derivative of the penalty by a prediction is that of the information itself.
TEST(ErmiPenalty, PushesDownTheMutualInformation) {
  ErmiPenalty penalty(config_of_two());
  const std::vector<double> shares = shares_of(kSecond);
  std::vector<double> added;
  penalty.take_sums(std::vector<double>(4, 0.0));
  penalty.gradient(kPlaces, shares, added);
  for (const double one : added) EXPECT_EQ(one, 0) << "W begins where predictions tell nothing";
  for (int step = 0; step < 2000; ++step) penalty.take_sums(sums_of(penalty, kPlaces, shares));
  penalty.gradient(kPlaces, shares, added);
  for (size_t i = 0; i < kPlaces.size(); ++i) {
    constexpr double kStep = 1e-5;
    std::vector<double> more = kSecond;
    std::vector<double> less = kSecond;
    more[i] += kStep;
    less[i] -= kStep;
    const double derivative = (mutual_information(more) - mutual_information(less)) / (2 * kStep);
    // Of one record of ten, at the logit, twice.
    EXPECT_NEAR(added[i], 2 * 10 * derivative * kSecond[i] * (1 - kSecond[i]), 1e-4) << i;
  }
}

TEST(ErmiPenalty, GradientsFollowTheWBeforeItAscends) {
  ErmiPenalty penalty(config_of_two());
  const std::vector<double> shares = shares_of(kSecond);
  std::vector<double> added;
  penalty.take_sums(sums_of(penalty, kPlaces, shares));
  penalty.gradient(kPlaces, shares, added);
  for (const double one : added) EXPECT_EQ(one, 0);
  ErmiPenalty resumed(config_of_two());
  resumed.restore(penalty.w());
  std::vector<double> after;
  for (ErmiPenalty* each : {&penalty, &resumed}) {
    each->take_sums(std::vector<double>(4, 0.1));
    each->gradient(kPlaces, shares, after);
    EXPECT_NE(after, added);
  }
  EXPECT_TRUE(std::ranges::equal(penalty.w(), resumed.w()));
}

/// Of one record, whatever it is and wherever W is: the sensitivity, which is attained.
TEST(ErmiPenalty, ARecordMovesTheSumsByAtMostOne) {
  ErmiConfig config = config_of_two();
  config.ascent_clip = usual_ascent_clip(config.shares);
  ErmiPenalty penalty(config);
  constexpr double kOne = int64_t{1} << ErmiPenalty::kUnitBits;
  double largest = 0;
  for (int step = 0; step < 40; ++step) {
    for (const uint32_t place : {0U, 1U}) {
      for (const double second : {0.0, 1e-300, 0.3, 1.0}) {
        const double norm = norm_of_units(units_of(penalty, {place}, shares_of({second})));
        EXPECT_LE(norm, kOne);
        largest = std::max(largest, norm);
      }
    }
    // Away from where predictions tell nothing, up to the ball.
    penalty.take_sums(std::vector<double>{-40, 40, 40, -40});
  }
  EXPECT_GT(largest, 0.999 * kOne);
  // While predictions tell nothing the usual clip holds everybody.
  const ErmiPenalty fresh(config);
  for (const uint32_t place : {0U, 1U})
    EXPECT_LT(norm_of_units(units_of(fresh, {place}, shares_of({1.0}))), 0.9 * kOne);
}

TEST(ErmiPenalty, NobodyAddsNothing) {
  const ErmiPenalty penalty(config_of_two());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int64_t unit : units_of(penalty, {ErmiPenalty::kNoPlace, 0}, {0.5, 0.5, nan, nan}))
    EXPECT_EQ(unit, 0);
  std::vector<double> added;
  penalty.gradient(std::vector<uint32_t>{ErmiPenalty::kNoPlace}, std::vector<double>{0.5, 0.5},
                   added);
  EXPECT_EQ(added, std::vector<double>{0});
  EncodedTable table;
  table.num_records = 3;
  table.contributes = {1, 0, 1};
  table.groups = {GroupId(1), GroupId(0), GroupId(7)};
  EXPECT_EQ(penalty.places(table),
            (std::vector<uint32_t>{1, ErmiPenalty::kNoPlace, ErmiPenalty::kNoPlace}));
}

TEST(ErmiPenalty, WStaysInItsBall) {
  ErmiConfig config = config_of_two();
  config.ascent_radius = 0.5;
  ErmiPenalty penalty(config);
  const auto norm = [&] {
    double squared = 0;
    for (const double one : penalty.w()) squared += one * one;
    return std::sqrt(squared);
  };
  EXPECT_NEAR(norm(), 0.5, 1e-12) << "where it begins";
  penalty.take_sums(std::vector<double>(4, 1e6));
  EXPECT_NEAR(norm(), 0.5, 1e-12);
  EXPECT_THAT([&] { penalty.restore(std::vector<double>(4, 0.26)); },
              ::testing::ThrowsMessage<Error>(HasSubstr("does not belong")));
  EXPECT_THROW(penalty.restore(std::vector<double>(3, 0.0)), Error);
  EXPECT_THROW(penalty.restore(std::vector<double>(4, std::nan(""))), Error);
}

TEST(ErmiPenalty, RefusesAGroupOfNobody) {
  ErmiConfig config = config_of_two();
  config.shares = {1, 0};
  EXPECT_THAT([&] { ErmiPenalty penalty(config); },
              ::testing::ThrowsMessage<Error>(HasSubstr("share of a group")));
}

}  // namespace equinoise::ermi_penalty_test
