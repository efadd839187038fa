// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/printed_time.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "equinoise/data/values/time_format.h"

namespace equinoise {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;

/// Appends a number of 0 or more with leading zeros.
char* put_digits(char* to, int64_t number, int num_digits) {
  for (char* next = to + num_digits; next != to; number /= 10)
    *--next = static_cast<char>('0' + number % 10);
  return to + num_digits;
}

}  // namespace

/// A date of the proleptic Gregorian calendar, which repeats every 400 years: so also for days that
/// std::chrono does not have.
char* PrintedTime::put_date(char* to, int64_t day) {
  constexpr int64_t kDaysPerEra = 146'097;  // 400 years
  const auto [era, day_of_era] = floor_quotient(day, kDaysPerEra);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day_of_era))};
  const int64_t year = static_cast<int>(date.year()) + 400 * era;

  to = fmt::format_to(to, FMT_COMPILE("{:04}"), year > 0 ? year : 1 - year);
  *to++ = '-';
  to = put_digits(to, static_cast<unsigned>(date.month()), 2);
  *to++ = '-';
  to = put_digits(to, static_cast<unsigned>(date.day()), 2);
  constexpr std::string_view kBeforeChrist = " (BC)";
  return year > 0 ? to : std::ranges::copy(kBeforeChrist, to).out;
}

char* PrintedTime::put_time_of_day(char* to, int64_t time, int64_t units_per_second) {
  const int64_t seconds = time / units_per_second;
  to = put_digits(to, seconds / 3600, 2);
  *to++ = ':';
  to = put_digits(to, seconds / 60 % 60, 2);
  *to++ = ':';
  to = put_digits(to, seconds % 60, 2);
  int64_t fraction = time % units_per_second;
  if (fraction == 0) return to;
  int num_decimals = 0;
  for (int64_t unit = units_per_second; unit > 1; unit /= 10) ++num_decimals;
  for (; fraction % 10 == 0; fraction /= 10) --num_decimals;
  *to++ = '.';
  return put_digits(to, fraction, num_decimals);
}

std::string_view PrintedTime::print_date(int64_t day) { return until(put_date(text_.data(), day)); }

std::string_view PrintedTime::print_time_of_day(int64_t time, int64_t units_per_second) {
  return until(put_time_of_day(text_.data(), time, units_per_second));
}

std::string_view PrintedTime::print_timestamp(int64_t time, int64_t units_per_second,
                                              bool has_zone) {
  const int64_t units_per_day = kSecondsPerDay * units_per_second;
  const auto [day, time_of_day] = floor_quotient(time, units_per_day);
  char* end = put_date(text_.data(), day);
  *end++ = ' ';
  end = put_time_of_day(end, time_of_day, units_per_second);
  constexpr std::string_view kUtc = "+00";
  return until(has_zone ? std::ranges::copy(kUtc, end).out : end);
}

}  // namespace equinoise
