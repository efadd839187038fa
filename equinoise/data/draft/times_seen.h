// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/data/draft/distinct_texts.h"
#include "equinoise/data/draft/frequent_numbers.h"
#include "equinoise/data/values/time_format.h"

namespace equinoise {

/// The dates or timestamps of a column.
class TimesSeen {
 public:
  void add(const ParsedTime& time, std::string_view cell);

  int64_t count() const { return count_; }
  bool has_mixed_zones() const { return num_zoned_ != 0 && num_zoned_ != num_clocks_; }
  bool has_clocks() const { return num_clocks_ > 0; }

  /// Bounds of fewer cells, or of cells that are all the same, would be somebody's date.
  bool are_too_few() const {
    constexpr int64_t kMin = 5;
    const Extent extent = this->extent();
    return extent.count < kMin || extent.earliest == extent.latest;
  }

  /// Usual dates of "none" or "for ever" that lie far beyond all others, as cells spell them.
  std::vector<Word> sentinels() const;

  /// Those of them that are in one cell each: they are not copied, and lie outside the bounds.
  int64_t num_single_sentinels() const;

  TimeFormat format() const;

  /// Comments on cells that are written otherwise than rows will be.
  std::string comments_on_format() const;

  /// Whether bounds are whole years, and not whole months.
  bool has_bounds_of_years() const {
    constexpr int64_t kTwoYears = 730;
    const auto [first, last] = days();
    return last - first > kTwoYears;
  }

  /// Bounds as days, rounded outward to years or months, so that they are nobody's date.
  std::pair<int64_t, int64_t> bounds() const;

  /// The first day of the month of the mean; where bounds are so narrow that this says much, or
  /// outside them, their middle.
  int64_t typical_day() const;

  /// Point masses, as cells spell them.
  std::vector<std::string> point_masses() const;

 private:
  static constexpr int64_t kPerMinute = int64_t{60} * 1'000'000;
  static constexpr int64_t kPerDay = 24 * 60 * kPerMinute;
  static constexpr int64_t kDaysOfDecember = 31;

  /// Moments, in microseconds since the beginning of 1970 in UTC.
  struct Extent {
    void add(int64_t moment) {
      earliest = count == 0 ? moment : std::min(earliest, moment);
      latest = count == 0 ? moment : std::max(latest, moment);
      ++count;
    }
    void add(const Extent& other) {
      if (other.count == 0) return;
      const int64_t total = count + other.count;
      add(other.earliest);
      add(other.latest);
      count = total;
    }
    int64_t count = 0;
    int64_t earliest = 0;
    int64_t latest = 0;
  };
  struct Sentinel {
    Extent extent;
    FewTexts texts;
  };

  /// 0001-01-01, 1900-01-01, 1970-01-01, 2999-12-31, 9999-01-01 and 9999-12-31.
  static const std::array<int64_t, 6>& sentinel_days();

  static int64_t day_of(int64_t moment) { return floor_quotient(moment, kPerDay).whole; }
  static int year_of(int64_t moment) { return month_of(day_of(moment)).year; }

  /// Farther from all other dates than these lie apart, and than ten years.
  bool is_far(const Sentinel& sentinel) const;

  /// Without what is far beyond.
  Extent extent() const;

  /// The first and the last day on the clock of the column.
  std::pair<int64_t, int64_t> days() const;

  /// On the clock of the cells.
  bool is_outside(int64_t clock) const {
    const auto [first, last] = bounds();
    const int64_t day = day_of(clock);
    return day < first || day > last;
  }

  /// Microseconds of other years are no whole numbers that double precision holds.
  bool is_too_wide_for_microseconds() const {
    const Extent extent = this->extent();
    return unit_ == TimeUnit::kMicrosecond &&
           (year_of(extent.earliest) < 1700 || year_of(extent.latest) > 2250);
  }

  int64_t count_ = 0;
  int64_t num_clocks_ = 0;
  int64_t num_zoned_ = 0;
  int64_t num_bare_ = 0;  ///< dates without a time, but for sentinels
  bool is_midnight_ = true;
  bool has_one_offset_ = true;
  bool has_one_separator_ = true;
  TimeFormat format_;
  TimeUnit unit_ = TimeUnit::kDay;
  TimeUnit coarsest_ = TimeUnit::kMicrosecond;
  int max_decimals_ = 0;
  Extent others_;  ///< but for sentinels
  std::array<Sentinel, 6> sentinels_;
  double days_ = 0;  ///< the mean of the others
  FrequentNumbers frequent_;
};

}  // namespace equinoise
