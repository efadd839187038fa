// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/time_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace equinoise {
namespace {

constexpr int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr int64_t kMicrosecondsPerMinute = 60 * kMicrosecondsPerSecond;
constexpr int64_t kMinutesPerDay = 24 * 60;
constexpr int64_t kMicrosecondsPerDay = kMinutesPerDay * kMicrosecondsPerMinute;
constexpr std::string_view kDatePattern = "YYYY-MM-DD";

/// Units, each with the pattern of the time of day of which it is the finest part.
constexpr std::array<std::pair<TimeUnit, std::string_view>, 4> kPatterns = {{
    {TimeUnit::kMinute, "hh:mm"},
    {TimeUnit::kSecond, "hh:mm:ss"},
    {TimeUnit::kMillisecond, "hh:mm:ss.fff"},
    {TimeUnit::kMicrosecond, "hh:mm:ss.ffffff"},
}};

int64_t microseconds_of(TimeUnit unit) {
  constexpr std::array kMicroseconds = {kMicrosecondsPerDay, kMicrosecondsPerMinute,
                                        kMicrosecondsPerSecond, int64_t{1000}, int64_t{1}};
  return kMicroseconds[static_cast<size_t>(unit)];
}

/// The first and the last day that have a text.
constexpr int64_t kFirstDay =
    std::chrono::sys_days(std::chrono::year(1) / 1 / 1).time_since_epoch().count();
constexpr int64_t kLastDay =
    std::chrono::sys_days(std::chrono::year(9999) / 12 / 31).time_since_epoch().count();

/// Takes exactly `count` figures from the front.
std::optional<int> take_figures(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool parse_date(std::string_view& text, ParsedTime& time) {
  const std::optional<int> year = take_figures(text, 4);
  if (!year || *year == 0 || !take(text, '-')) return false;
  const std::optional<int> month = take_figures(text, 2);
  if (!month || !take(text, '-')) return false;
  const std::optional<int> day = take_figures(text, 2);
  if (!day) return false;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return false;
  time.day = std::chrono::sys_days(date).time_since_epoch().count();
  return true;
}

bool parse_clock(std::string_view& text, ParsedTime& time) {
  const std::optional<int> hour = take_figures(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return false;
  const std::optional<int> minute = take_figures(text, 2);
  if (!minute || *minute > 59) return false;
  time.microseconds = (60 * *hour + *minute) * kMicrosecondsPerMinute;
  if (!take(text, ':')) return true;
  const std::optional<int> second = take_figures(text, 2);
  if (!second || *second > 59) return false;
  time.has_seconds = true;
  time.microseconds += *second * kMicrosecondsPerSecond;
  if (!take(text, '.') && !take(text, ',')) return true;
  const size_t decimals = std::min(text.find_first_not_of("0123456789"), text.size());
  if (decimals == 0) return false;
  int64_t worth = kMicrosecondsPerSecond / 10;
  for (size_t i = 0; i < decimals; ++i, worth /= 10) {
    time.microseconds += (text[i] - '0') * worth;
    time.is_cut = time.is_cut || (worth == 0 && text[i] != '0');
  }
  time.decimals = static_cast<int>(std::min<size_t>(decimals, 9));
  text.remove_prefix(decimals);
  return true;
}

/// The offset in minutes of Z, +02, +0200 or +02:00; nothing may follow.
std::optional<int> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  const bool is_west = text.starts_with('-');
  if (!is_west && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int> hours = take_figures(text, 2);
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 60 * *hours;
  if (!text.empty()) {
    take(text, ':');
    const std::optional<int> rest = take_figures(text, 2);
    if (!rest || *rest > 59 || !text.empty()) return std::nullopt;
    minutes += *rest;
  }
  return is_west ? -minutes : minutes;
}

std::string print_offset(int minutes) {
  if (minutes == 0) return "Z";
  const int size = std::abs(minutes);
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

}  // namespace

std::optional<ParsedTime> parse_time(std::string_view text) {
  ParsedTime time;
  if (!parse_date(text, time)) return std::nullopt;
  if (text.empty()) return time;
  time.separator = text.front() == ' ' ? ' ' : 'T';
  if (!take(text, 'T') && !take(text, ' ') && !take(text, 't')) return std::nullopt;
  time.has_time = true;
  if (!parse_clock(text, time)) return std::nullopt;
  if (text.empty()) return time;
  time.offset = parse_offset(text);
  if (!time.offset) return std::nullopt;
  return time;
}

std::optional<double> number_of_time(const ParsedTime& time, const TimeFormat& format) {
  if (!format.has_time()) {
    if (time.offset || time.microseconds != 0) return std::nullopt;
    return static_cast<double>(time.day);
  }
  if (time.has_time && time.offset.has_value() != format.offset.has_value()) return std::nullopt;
  const int64_t shift = time.offset ? *format.offset - *time.offset : 0;
  const int64_t clock = time.microseconds + shift * kMicrosecondsPerMinute;
  const int64_t unit = microseconds_of(format.unit);
  // Rounded down, also before 1970; a day is a whole number of units.
  const int64_t units = floor_quotient(clock, unit).whole;
  // The day in another zone may differ and must have a text as well.
  const int64_t per_day = kMicrosecondsPerDay / unit;
  const int64_t day = time.day + floor_quotient(units, per_day).whole;
  if (day < kFirstDay || day > kLastDay) return std::nullopt;
  return static_cast<double>(time.day * per_day + units);
}

bool is_finer(const ParsedTime& time, const TimeFormat& format) {
  return time.is_cut || time.microseconds % microseconds_of(format.unit) != 0;
}

std::optional<double> parse_time(std::string_view text, const TimeFormat& format) {
  const std::optional<ParsedTime> time = parse_time(text);
  return time ? number_of_time(*time, format) : std::nullopt;
}

std::string print_time(double number, const TimeFormat& format) {
  const double per_day = units_per_day(format.unit);
  const double day = std::floor(number / per_day);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int64_t>(day)))};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (!format.has_time()) return text;
  const auto clock = static_cast<int64_t>(number - day * per_day) * microseconds_of(format.unit);
  const int64_t minutes = clock / kMicrosecondsPerMinute;
  const int64_t seconds = clock / kMicrosecondsPerSecond % 60;
  const int64_t fraction = clock % kMicrosecondsPerSecond;
  text += fmt::format("{}{:02}:{:02}", format.separator, minutes / 60, minutes % 60);
  if (format.unit != TimeUnit::kMinute) text += fmt::format(":{:02}", seconds);
  if (format.unit == TimeUnit::kMillisecond) text += fmt::format(".{:03}", fraction / 1000);
  if (format.unit == TimeUnit::kMicrosecond) text += fmt::format(".{:06}", fraction);
  return text + (format.offset ? print_offset(*format.offset) : "");
}

std::string to_string(const TimeFormat& format) {
  std::string text(kDatePattern);
  for (const auto& [unit, pattern] : kPatterns)
    if (unit == format.unit) text += format.separator + std::string(pattern);
  return text + (format.offset ? print_offset(*format.offset) : "");
}

std::optional<TimeFormat> parse_time_format(std::string_view text) {
  TimeFormat format;
  if (!text.starts_with(kDatePattern)) return std::nullopt;
  text.remove_prefix(kDatePattern.size());
  if (text.empty()) return format;
  format.separator = text.front();
  if (format.separator != 'T' && format.separator != ' ') return std::nullopt;
  text.remove_prefix(1);
  const std::string_view clock = text.substr(0, text.find_first_of("Z+-"));
  text.remove_prefix(clock.size());
  const auto found =
      std::ranges::find_if(kPatterns, [&](const auto& entry) { return entry.second == clock; });
  if (found == kPatterns.end()) return std::nullopt;
  format.unit = found->first;
  if (text.empty()) return format;
  format.offset = parse_offset(text);
  if (!format.offset) return std::nullopt;
  return format;
}

double units_per_day(TimeUnit unit) {
  return static_cast<double>(kMicrosecondsPerDay / microseconds_of(unit));
}

int64_t first_day_of(int year, int month) {
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(1));
  return std::chrono::sys_days(date).time_since_epoch().count();
}

YearMonth month_of(int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month()))};
}

}  // namespace equinoise
