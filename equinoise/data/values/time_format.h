// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace equinoise {

/// A quotient rounded down, and the remainder, which is at least 0.
struct FloorQuotient {
  int64_t whole;
  int64_t rest;
};
constexpr FloorQuotient floor_quotient(int64_t number, int64_t divisor) {
  const int64_t rest = number % divisor;
  return rest < 0 ? FloorQuotient{number / divisor - 1, rest + divisor}
                  : FloorQuotient{number / divisor, rest};
}

/// The finest part of a time that a column holds.
enum class TimeUnit { kDay, kMinute, kSecond, kMillisecond, kMicrosecond };

/// The text form of a column's dates or timestamps, and so their meaning as numbers: whole units
/// since the beginning of 1970 on the clock of that zone.
struct TimeFormat {
  TimeUnit unit = TimeUnit::kDay;
  char separator = 'T';  ///< between date and time: 'T' or ' '
  /// Minutes east of UTC; std::nullopt: cells name no zone.
  std::optional<int> offset = {};
  bool operator==(const TimeFormat&) const = default;

  bool has_time() const { return unit != TimeUnit::kDay; }
};

/// A date, or a date with a time, as a cell spells it.
struct ParsedTime {
  int64_t day = 0;           ///< since 1970-01-01
  int64_t microseconds = 0;  ///< of the day; finer parts are cut off
  bool is_cut = false;       ///< a finer part was cut off
  std::optional<int> offset = {};
  // The form of the text.
  bool has_time = false;
  char separator = 'T';
  bool has_seconds = false;
  int decimals = 0;  ///< of the seconds
};

/// Reads ISO 8601 as in tables: 2024-03-01, 2024-03-01T10:20, 2024-03-01 10:20:30.125+02:00, also
/// with Z, +02 or +0200. Nothing for days and times that do not exist (February 30, year 0, hour
/// 24, second 60) and for other texts.
std::optional<ParsedTime> parse_time(std::string_view text);

/// The number of such a time in a column of that format; parts finer than its unit are cut off. A
/// date alone is midnight in the column's zone. Nothing for:
/// - a time with a zone in a column without one, or the reverse;
/// - a time of day other than midnight in a column of dates;
/// - a time outside the years 1 to 9999 in the column's zone.
std::optional<double> number_of_time(const ParsedTime& time, const TimeFormat& format);

/// Whether a time has parts finer than the unit of the column, which are cut off.
bool is_finer(const ParsedTime& time, const TimeFormat& format);

/// number_of_time(parse_time(text)).
std::optional<double> parse_time(std::string_view text, const TimeFormat& format);

/// The text of a whole number of units, from year 1 to year 9999.
std::string print_time(double number, const TimeFormat& format);

/// "YYYY-MM-DDThh:mm:ss", "YYYY-MM-DD hh:mm", "YYYY-MM-DDThh:mm:ss.fff+02:00", ".ffffff", "Z", and
/// back; nothing for other texts.
std::string to_string(const TimeFormat& format);
std::optional<TimeFormat> parse_time_format(std::string_view text);

/// The number of units in a day.
double units_per_day(TimeUnit unit);

/// The first day of a year or of a month (1 to 12), since 1970-01-01.
int64_t first_day_of(int year, int month);

/// The year and the month of a day.
struct YearMonth {
  int year = 1970;
  int month = 1;
};
YearMonth month_of(int64_t day);

}  // namespace equinoise
