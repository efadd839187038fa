// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/times_seen.h"

#include <fmt/format.h>

#include <cmath>

namespace equinoise {

void TimesSeen::add(const ParsedTime& time, std::string_view cell) {
  const int64_t clock = time.day * kPerDay + time.microseconds;
  const int64_t moment = clock - time.offset.value_or(0) * kPerMinute;
  ++count_;
  frequent_.add(static_cast<double>(clock));
  const auto sentinel = std::ranges::find(sentinel_days(), time.day);
  // Midnight, or the last minute of the day.
  const bool is_sentinel = sentinel != sentinel_days().end() &&
                           (time.microseconds == 0 || time.microseconds >= kPerDay - kPerMinute);
  if (is_sentinel) {
    Sentinel& seen = sentinels_[static_cast<size_t>(sentinel - sentinel_days().begin())];
    seen.extent.add(moment);
    seen.texts.add(cell);
  } else {
    others_.add(moment);
    days_ += (static_cast<double>(time.day) - days_) / static_cast<double>(others_.count);
    if (!time.has_time) ++num_bare_;
  }
  if (!time.has_time) return;
  const TimeUnit unit = !time.has_seconds    ? TimeUnit::kMinute
                        : time.decimals == 0 ? TimeUnit::kSecond
                        : time.decimals <= 3 ? TimeUnit::kMillisecond
                                             : TimeUnit::kMicrosecond;
  if (num_clocks_++ == 0) {
    format_.separator = time.separator;
    format_.offset = time.offset;
  }
  if (time.offset) ++num_zoned_;
  is_midnight_ = is_midnight_ && time.microseconds == 0 && !time.offset;
  // Times are all converted to UTC if offsets differ.
  if (time.offset && format_.offset && *time.offset != *format_.offset) has_one_offset_ = false;
  has_one_separator_ = has_one_separator_ && time.separator == format_.separator;
  unit_ = std::max(unit_, unit);
  if (!is_sentinel) coarsest_ = std::min(coarsest_, unit);
  max_decimals_ = std::max(max_decimals_, time.decimals);
}

std::vector<Word> TimesSeen::sentinels() const {
  std::vector<Word> words;
  for (const Sentinel& sentinel : sentinels_) {
    if (!is_far(sentinel)) continue;
    for (const Word& word : sentinel.texts.words())
      if (word.count > 1) words.push_back(word);
  }
  return words;
}

int64_t TimesSeen::num_single_sentinels() const {
  int64_t num_single = 0;
  for (const Sentinel& sentinel : sentinels_)
    if (is_far(sentinel)) num_single += sentinel.extent.count;
  for (const Word& word : sentinels()) num_single -= word.count;
  return num_single;
}

TimeFormat TimesSeen::format() const {
  if (is_midnight_) return {};
  TimeFormat format = format_;
  format.unit = unit_;
  if (!has_one_offset_) format.offset = 0;
  if (is_too_wide_for_microseconds()) format.unit = TimeUnit::kMillisecond;
  return format;
}

std::string TimesSeen::comments_on_format() const {
  if (has_clocks() && is_midnight_)
    return "# All times are midnight, so these are dates, and synthetic rows hold no times.\n";
  std::string text;
  if (!has_clocks()) return text;
  if (num_bare_ > 0) {
    text += fmt::format(
        "# Cells that name no time of day, and are midnight here: {} of {}. Synthetic rows name "
        "one.\n",
        num_bare_, count_);
  }
  if (coarsest_ < unit_)
    text += "# Some cells name the time more exactly than others; rows name it as these do.\n";
  if (max_decimals_ > 6) text += "# What is finer than microseconds is cut off.\n";
  if (is_too_wide_for_microseconds())
    text +=
        "# What is finer than milliseconds is cut off, as years before 1700 or after 2250 "
        "occur.\n";
  if (!has_one_offset_) text += "# Cells name several offsets; rows hold UTC.\n";
  if (!has_one_separator_)
    text += "# Some cells have T before the time, some a blank; rows have one of them.\n";
  return text;
}

std::pair<int64_t, int64_t> TimesSeen::bounds() const {
  const auto [first, last] = days();
  const YearMonth begin = month_of(first);
  const YearMonth end = month_of(last);
  const bool is_of_years = has_bounds_of_years();
  const int64_t december = first_day_of(end.year, 12);
  const int64_t last_day = is_of_years || end.month == 12
                               ? december + kDaysOfDecember - 1
                               : first_day_of(end.year, end.month + 1) - 1;
  return {first_day_of(begin.year, is_of_years ? 1 : begin.month), last_day};
}

int64_t TimesSeen::typical_day() const {
  constexpr int64_t kTwoMonths = 62;
  const auto [first, last] = bounds();
  const YearMonth month = month_of(static_cast<int64_t>(std::floor(days_)));
  const int64_t day = first_day_of(month.year, month.month);
  const bool is_usable = last - first >= kTwoMonths && day > first && day <= last;
  return is_usable ? day : first + (last - first) / 2;
}

std::vector<std::string> TimesSeen::point_masses() const {
  std::vector<std::string> texts;
  const TimeFormat format = this->format();
  if (format.offset && !has_one_offset_) return texts;
  for (const double moment : frequent_.point_masses()) {
    if (is_outside(static_cast<int64_t>(moment))) continue;
    const double units = moment / static_cast<double>(kPerDay) * units_per_day(format.unit);
    texts.push_back(print_time(std::floor(units + 0.5), format));
  }
  return texts;
}

const std::array<int64_t, 6>& TimesSeen::sentinel_days() {
  static const std::array<int64_t, 6> days = {
      first_day_of(1, 1),    first_day_of(1900, 1),
      first_day_of(1970, 1), first_day_of(2999, 12) + kDaysOfDecember - 1,
      first_day_of(9999, 1), first_day_of(9999, 12) + kDaysOfDecember - 1};
  return days;
}

bool TimesSeen::is_far(const Sentinel& sentinel) const {
  if (sentinel.extent.count == 0 || others_.count == 0) return false;
  constexpr int64_t kTenYears = 3653;
  const int64_t reach = std::max(others_.latest - others_.earliest, kTenYears * kPerDay);
  return sentinel.extent.latest < others_.earliest - reach ||
         sentinel.extent.earliest > others_.latest + reach;
}

TimesSeen::Extent TimesSeen::extent() const {
  Extent extent = others_;
  for (const Sentinel& sentinel : sentinels_)
    if (!is_far(sentinel)) extent.add(sentinel.extent);
  return extent;
}

std::pair<int64_t, int64_t> TimesSeen::days() const {
  const Extent extent = this->extent();
  const int64_t shift = has_one_offset_ ? format_.offset.value_or(0) * kPerMinute : 0;
  // A date without a time has no zone, so the shift may move it to another day.
  const int64_t margin = num_zoned_ > 0 && num_clocks_ < count_ ? 1 : 0;
  return {std::max(day_of(extent.earliest + shift) - margin, sentinel_days().front()),
          std::min(day_of(extent.latest + shift) + margin, sentinel_days().back())};
}

}  // namespace equinoise
