// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/ratio_check.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <map>

#include "tests/audit/predicted_tables.h"
#include "tests/test_support.h"

namespace equinoise::ratio_check_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A group of so many records of which so many are selected.
Metrics selected(int64_t num_selected, int64_t num_records) {
  Metrics metrics;
  metrics.num_records = num_records;
  if (num_records == 0) return metrics;
  metrics.selection_rate = {static_cast<double>(num_selected) / static_cast<double>(num_records),
                            score_interval(num_selected, num_records),
                            static_cast<double>(num_records)};
  return metrics;
}

RatioCheck check(const std::vector<Metrics>& groups, double limit = 0.8) {
  return check_ratio(find_metric("selection_rate"), groups, limit);
}

TEST(RatioCheck, HasThreeVerdicts) {
  const RatioCheck holds = check({selected(950, 1000), selected(1000, 1000)});
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
  const Interval first = exact_interval(20, 40);
  const Interval second = exact_interval(30, 40);
  const RatioCheck found = check({selected(20, 40), selected(30, 40)});
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
  const RatioCheck found = check({selected(500, 500), selected(3, 3), selected(40, 40)});
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
    const RatioCheck found = check(groups);
    EXPECT_EQ(found.verdict, LimitVerdict::kUndefined);
    EXPECT_TRUE(std::isnan(found.value));
    EXPECT_EQ(found.num_known + found.left_out.size(), groups.size());
    EXPECT_TRUE(std::isnan(found.interval.low) && std::isnan(found.interval.high));
  }
  // A group with records that lacks the rate keeps the limit from holding, not from failing; one
  // without records is only left out.
  Metrics lacks;
  lacks.num_records = 5;
  const std::vector<Metrics> alike = {selected(1000, 1000), lacks, selected(1000, 1000)};
  EXPECT_EQ(check(alike).verdict, LimitVerdict::kUndefined);
  EXPECT_THAT(check(alike).left_out, ElementsAre(1U));
  EXPECT_EQ(check({selected(1, 1000), lacks, selected(900, 1000)}).verdict, LimitVerdict::kFails);
  EXPECT_EQ(check({selected(1000, 1000), selected(0, 0), selected(1000, 1000)}).verdict,
            LimitVerdict::kHolds);
}

TEST(RatioCheck, ExtremeRatesHaveFiniteAnswers) {
  for (const int64_t a : {0, 1, 5, 10}) {
    for (const int64_t b : {1, 5, 10}) {
      const RatioCheck found = check({selected(a, 10), selected(b, 10), selected(10, 10)});
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
std::array<double, 5> verdicts_of_two(int n1, double p1, int n2, double p2) {
  std::array<double, 5> found = {};
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
          const RatioCheck found = check({selected(a, kRecords), selected(b, kRecords),
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
    const RatioCheck once = check_ratio(find_metric(metric), groups[0], 0.8);
    const RatioCheck often = check_ratio(find_metric(metric), groups[1], 0.8);
    EXPECT_NEAR(often.value, once.value, 1e-12) << metric;
    EXPECT_NEAR(often.interval.low, once.interval.low, 1e-9) << metric;
    EXPECT_NEAR(often.interval.high, once.interval.high, 1e-9) << metric;
  }
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

}  // namespace
}  // namespace equinoise::ratio_check_test
