// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/group_limit.h"

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "tests/audit/predicted_tables.h"
#include "tests/test_support.h"

namespace equinoise::group_limit_test {

/// A group of so many records of which so many are selected.
Metrics selected(int64_t num_selected, int64_t num_records) {
  Metrics metrics;
  metrics.num_records = num_records;
  if (num_records == 0) return metrics;
  const auto size = static_cast<double>(num_records);
  const double share = static_cast<double>(num_selected) / size;
  metrics.selection_rate = {share, score_interval(share, size), size};
  return metrics;
}

GroupCheck check(const std::vector<Metrics>& groups, double limit = 0.8) {
  return check_ratio(find_metric("selection_rate"), groups, limit);
}

TEST(RatioCheck, TheIntervalDecides) {
  const GroupCheck holds = check({selected(950, 1000), selected(1000, 1000)});
  EXPECT_EQ(holds.verdict, LimitVerdict::kHolds);
  EXPECT_DOUBLE_EQ(holds.value, 0.95);
  EXPECT_EQ(holds.lowest, 0U);
  EXPECT_EQ(holds.highest, 1U);
  EXPECT_LE(holds.interval.low, holds.value);
  EXPECT_GE(holds.interval.high, holds.value);
  EXPECT_EQ(check({selected(50, 1000), selected(300, 1000)}).verdict, LimitVerdict::kFails);
  // 7 of 10 and 10 of 10: nobody knows.
  EXPECT_EQ(check({selected(7, 10), selected(10, 10)}).verdict, LimitVerdict::kUnclear);
  EXPECT_EQ(check({selected(9, 10), selected(10, 10)}).verdict, LimitVerdict::kUnclear);
}

// The relative risk of Donner and Zou's method with exact limits, by the closed form in rational
// arithmetic elsewhere: 20 of 40 against 30 of 40.
TEST(RatioCheck, IntervalsAreThoseOfTheMethod) {
  const Interval first = beta_interval(0.5, 40);
  const Interval second = beta_interval(0.75, 40);
  const GroupCheck found = check({selected(20, 40), selected(30, 40)});
  EXPECT_DOUBLE_EQ(found.value, 2.0 / 3);
  // At its ends an interval of the difference p1 - c p2 begins or ends at 0.
  const auto begin = [&](double c) {
    return 0.5 - c * 0.75 - std::hypot(0.5 - first.low, c * (second.high - 0.75));
  };
  const auto end = [&](double c) {
    return 0.5 - c * 0.75 + std::hypot(first.high - 0.5, c * (0.75 - second.low));
  };
  EXPECT_NEAR(begin(found.interval.low), 0, 1e-12);
  EXPECT_NEAR(end(found.interval.high), 0, 1e-12);
}

TEST(RatioCheck, AtATieTwoGroupsAreNamed) {
  const GroupCheck found = check({selected(500, 500), selected(3, 3), selected(40, 40)});
  EXPECT_EQ(found.lowest, 1U);
  EXPECT_EQ(found.highest, 2U);
  EXPECT_EQ(found.value, 1);
  EXPECT_EQ(found.verdict, LimitVerdict::kUnclear);
}

TEST(RatioCheck, WithoutARateItIsUndefined) {
  for (const std::vector<Metrics>& groups : {std::vector<Metrics>{},
                                             {selected(1, 2)},
                                             {selected(1, 2), selected(0, 0)},
                                             {selected(0, 20), selected(0, 30)}}) {
    const GroupCheck found = check(groups);
    EXPECT_EQ(found.verdict, LimitVerdict::kNotAnswerable);
    EXPECT_TRUE(std::isnan(found.value));
    EXPECT_EQ(found.num_known + found.left_out.size(), groups.size());
    EXPECT_TRUE(std::isnan(found.interval.low) && std::isnan(found.interval.high));
  }
  // A group with records that lacks the rate keeps the limit from holding, not from failing; one
  // without records is only left out.
  Metrics lacks;
  lacks.num_records = 5;
  const std::vector<Metrics> alike = {selected(1000, 1000), lacks, selected(1000, 1000)};
  EXPECT_EQ(check(alike).verdict, LimitVerdict::kNotAnswerable);
  EXPECT_THAT(check(alike).left_out, ElementsAre(1U));
  EXPECT_EQ(check({selected(1, 1000), lacks, selected(900, 1000)}).verdict, LimitVerdict::kFails);
  EXPECT_EQ(check({selected(1000, 1000), selected(0, 0), selected(1000, 1000)}).verdict,
            LimitVerdict::kHolds);
}

TEST(RatioCheck, ExtremeRatesHaveFiniteAnswers) {
  for (const int64_t a : {0, 1, 5, 10}) {
    for (const int64_t b : {1, 5, 10}) {
      const GroupCheck found = check({selected(a, 10), selected(b, 10), selected(10, 10)});
      EXPECT_LE(0, found.interval.low);
      EXPECT_LE(found.interval.low, found.value + 1e-12) << a << " " << b;
      EXPECT_LE(found.value, found.interval.high + 1e-12) << a << " " << b;
      EXPECT_LE(found.interval.high, 1);
    }
  }
  EXPECT_EQ(check({selected(0, 1000), selected(500, 1000)}).value, 0);
  EXPECT_EQ(check({selected(0, 1000), selected(500, 1000)}).verdict, LimitVerdict::kFails);
}

double binomial(int n, int k, double p) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                  k * std::log(p) + (n - k) * std::log1p(-p));
}

/// The probability of each verdict for two groups with these rates.
std::array<double, 4> verdicts_of_two(int n1, double p1, int n2, double p2) {
  std::array<double, 4> found = {};
  for (int a = 0; a <= n1; ++a) {
    for (int b = 0; b <= n2; ++b) {
      const LimitVerdict verdict = check({selected(a, n1), selected(b, n2)}).verdict;
      found.at(static_cast<size_t>(verdict)) += binomial(n1, a, p1) * binomial(n2, b, p2);
    }
  }
  return found;
}

// By all outcomes, not by draws: a limit that is missed holds, and one that is kept fails, in less
// than one of 20 samples.
TEST(RatioCheck, AWrongVerdictIsRare) {
  double worst_hold = 0;
  double worst_fail = 0;
  for (const auto& [n1, n2] : {std::pair(20, 20), std::pair(15, 60), std::pair(60, 15)}) {
    for (const double p : {0.15, 0.4, 0.7, 0.95}) {
      const auto missed = verdicts_of_two(n1, 0.799 * p, n2, p);
      worst_hold = std::max(worst_hold, missed[static_cast<size_t>(LimitVerdict::kHolds)]);
      const auto kept = verdicts_of_two(n1, 0.801 * p, n2, p);
      worst_fail = std::max(worst_fail, kept[static_cast<size_t>(LimitVerdict::kFails)]);
    }
  }
  EXPECT_LT(worst_hold, 0.05);
  EXPECT_LT(worst_fail, 0.05);
  RecordProperty("worst_hold", std::to_string(worst_hold));
  RecordProperty("worst_fail", std::to_string(worst_fail));
}

// Of four groups that are all alike the extremes are far apart by chance: the limit must not fail
// because of that.
TEST(RatioCheck, TheExtremesOfSeveralGroupsAreNoSurprise) {
  constexpr int kRecords = 12;
  double fails = 0;
  // Each sample once, in ascending order, for all that differ from it by order alone.
  for (int a = 0; a <= kRecords; ++a)
    for (int b = a; b <= kRecords; ++b)
      for (int c = b; c <= kRecords; ++c)
        for (int d = c; d <= kRecords; ++d) {
          const GroupCheck found = check({selected(a, kRecords), selected(b, kRecords),
                                          selected(c, kRecords), selected(d, kRecords)});
          if (found.verdict != LimitVerdict::kFails) continue;
          double chance = 1;
          std::map<int, int> times;
          int place = 0;
          for (const int k : {a, b, c, d})
            chance *= binomial(kRecords, k, 0.6) * ++place / ++times[k];
          fails += chance;
        }
  EXPECT_LT(fails, 0.05);
}

// One group is large, nine are small, and all have the same rare rate: by all outcomes of the small
// ones, a limit that all keep fails in less than one of 20 samples.
TEST(RatioCheck, ARareRateSeldomFailsByChance) {
  constexpr int kRecords = 50;
  constexpr int kSmall = 9;
  constexpr int64_t kLarge = 200'000;
  for (const double rate : {0.0005, 0.001, 0.003, 0.01}) {
    const auto num_selected =
        static_cast<int64_t>(std::llround(rate * static_cast<double>(kLarge)));
    // At most so many of each small group do not fail.
    int most = 0;
    while (most < kRecords) {
      std::vector<Metrics> groups(kSmall, selected(0, kRecords));
      groups.front() = selected(most + 1, kRecords);
      groups.push_back(selected(num_selected, kLarge));
      if (check(groups).verdict == LimitVerdict::kFails) break;
      ++most;
    }
    double kept = 0;
    for (int k = 0; k <= most; ++k) kept += binomial(kRecords, k, rate);
    EXPECT_LT(1 - std::pow(kept, kSmall), 0.05) << rate;
  }
}

/// Rows of one unit that are alike are no more certain than one row, whatever is counted.
TEST(RatioCheck, RowsOfAUnitAreNotSeveral) {
  std::vector<std::vector<Metrics>> groups(2);  // of single rows; of units of three
  for (const int num_selected : {9, 17}) {
    for (const uint32_t rows : {1U, 3U}) {
      std::vector<uint16_t> labels;
      std::vector<uint16_t> predicted;
      for (int unit = 0; unit < 30; ++unit) {
        labels.insert(labels.end(), rows, unit % 2 == 0 ? 1 : 0);
        predicted.insert(predicted.end(), rows, unit < num_selected ? 1 : 0);
      }
      const std::vector<double> losses(labels.size(), 0.0);
      groups[rows > 1 ? 1 : 0].push_back(testing::overall_metrics(testing::of_units(
          testing::classified(labels, predicted, losses), std::vector<uint32_t>(30, rows))));
    }
  }
  for (const char* metric : {"selection_rate", "false_positive_rate", "precision"}) {
    const GroupCheck once = check_ratio(find_metric(metric), groups[0], 0.8);
    const GroupCheck often = check_ratio(find_metric(metric), groups[1], 0.8);
    EXPECT_NEAR(often.value, once.value, 1e-12) << metric;
    EXPECT_NEAR(often.interval.low, once.interval.low, 1e-9) << metric;
    EXPECT_NEAR(often.interval.high, once.interval.high, 1e-9) << metric;
  }
}

/// Groups of a numeric figure with these values and half widths.
std::vector<Metrics> with_losses(const std::vector<std::pair<double, double>>& losses) {
  std::vector<Metrics> groups;
  for (const auto& [value, half] : losses) {
    groups.emplace_back().num_records = 9;
    groups.back().loss = {value, {value - half, value + half}};
  }
  return groups;
}

GroupCheck difference_of(const std::vector<Metrics>& groups, double limit,
                         const char* metric = "loss") {
  return check_difference(find_metric(metric), groups, limit);
}

TEST(DifferenceCheck, TheIntervalDecides) {
  // -7 to 27 points, of a limit of 5.
  const std::vector<Metrics> groups = with_losses({{0.5, 0.12}, {0.6, 0.12}});
  const GroupCheck found = difference_of(groups, 0.05);
  EXPECT_EQ(found.verdict, LimitVerdict::kUnclear);
  EXPECT_NEAR(found.value, 0.1, 1e-12);
  EXPECT_EQ(found.interval.low, 0);
  EXPECT_NEAR(found.interval.high, 0.1 + std::hypot(0.12, 0.12), 1e-12);
  EXPECT_EQ(difference_of(groups, 0.3).verdict, LimitVerdict::kHolds);
  EXPECT_EQ(difference_of(with_losses({{0.5, 0.01}, {0.6, 0.01}}), 0.05).verdict,
            LimitVerdict::kFails);
  // Nobody knows of differences so small that they are less than chance.
  EXPECT_EQ(difference_of(with_losses({{0.5, 0.1}, {0.5, 0.1}}), 0.01).verdict,
            LimitVerdict::kUnclear);
}

/// Of two groups it is the printed one; of more each is wider.
TEST(DifferenceCheck, TheIntervalIsForAllPairs) {
  const std::vector<Metrics> two = {selected(40, 100), selected(60, 100)};
  const MetricRow& metric = find_metric("selection_rate");
  const Interval printed = disparity_in(metric, two, two[0]).difference_between_groups.interval;
  const Interval found = difference_of(two, 0.1, "selection_rate").interval;
  EXPECT_NEAR(found.low, printed.low, 1e-12);
  EXPECT_NEAR(found.high, printed.high, 1e-12);
  const std::vector<Metrics> four = {two[0], two[1], selected(50, 100), selected(50, 100)};
  EXPECT_LT(difference_of(four, 0.1, "selection_rate").interval.low, printed.low);
  EXPECT_GT(difference_of(four, 0.1, "selection_rate").interval.high, printed.high);
}

/// Groups of 0.5, 0.75, one without the figure and one without records.
TEST(DifferenceCheck, WhatIsUnknownPassesNoLimit) {
  std::vector<Metrics> groups = with_losses({{0.5, 0.01}, {0.75, 0.01}});
  groups.resize(4);
  groups[2].num_records = 9;
  const auto verdict = [&](double limit) { return difference_of(groups, limit).verdict; };
  EXPECT_EQ(verdict(0.2), LimitVerdict::kFails);  // whatever the third one is
  EXPECT_EQ(verdict(0.3), LimitVerdict::kNotAnswerable);
  groups[2].num_records = 0;
  EXPECT_EQ(verdict(0.3), LimitVerdict::kHolds);
  // A figure without an interval decides nothing.
  groups[2] = with_losses({{0.6, std::nan("")}})[0];
  EXPECT_EQ(verdict(0.3), LimitVerdict::kNotAnswerable);
  EXPECT_EQ(verdict(0.2), LimitVerdict::kFails);
  groups.resize(1);
  EXPECT_EQ(verdict(0.3), LimitVerdict::kNotAnswerable);
}

/// Simulated groups of which the truth is known. Wrong verdicts by the point estimate are frequent.
TEST(DifferenceCheck, AWrongVerdictIsRare) {
  constexpr int kAudits = 400;
  std::mt19937_64 random(11);
  int wrong = 0;
  int wrong_by_value = 0;
  for (int i = 0; i < kAudits; ++i) {
    // The largest difference of four groups is 0.1.
    std::vector<Metrics> groups;
    for (const double rate : {0.35, 0.4, 0.42, 0.45}) {
      std::binomial_distribution<int64_t> draw(80, rate);
      groups.push_back(selected(draw(random), 80));
    }
    const bool is_kept = i % 2 == 0;
    const double limit = is_kept ? 0.101 : 0.099;
    const GroupCheck found = difference_of(groups, limit, "selection_rate");
    wrong += found.verdict == (is_kept ? LimitVerdict::kFails : LimitVerdict::kHolds) ? 1 : 0;
    wrong_by_value += (found.value <= limit) != is_kept ? 1 : 0;
  }
  EXPECT_LE(wrong, kAudits / 20);
  EXPECT_GT(wrong_by_value, kAudits / 4);
}

TEST(RatioCheck, RefusesWhatIsNoRateOrNoRatio) {
  const auto refused = [](const char* metric, double limit) {
    return error_of(ErrorKind::kUsage, [&] { check_ratio(find_metric(metric), {}, limit); });
  };
  EXPECT_THAT(refused("loss", 0.8), HasSubstr("loss is no rate"));
  EXPECT_THAT(refused("auc", 0.8), HasSubstr("auc is no rate"));
  for (const double limit : {0.0, -0.5, 1.5, std::nan(""), HUGE_VAL})
    EXPECT_THAT(refused("accuracy", limit), HasSubstr("must be above 0 and at most 1"));
}

}  // namespace equinoise::group_limit_test
