// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/printed_time.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>

namespace equinoise {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;

/// Appends a number of 0 or more with leading zeros.
char* put_digits(char* to, int64_t number, int num_digits) {
  for (char* next = to + num_digits; next != to; number /= 10)
    *--next = static_cast<char>('0' + number % 10);
  return to + num_digits;
}

/// A quotient rounded down, and the remainder, which is at least 0.
struct Parts {
  int64_t whole;
  int64_t rest;
};

Parts parts_of(int64_t number, int64_t divisor) {
  const int64_t rest = number % divisor;
  return rest < 0 ? Parts{number / divisor - 1, rest + divisor} : Parts{number / divisor, rest};
}

}  // namespace

/// A date of the proleptic Gregorian calendar, for days beyond those of std::chrono. Source: H.
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: years begin in March,
/// so that leap days end them.
char* PrintedTime::put_date(char* to, int64_t day) {
  constexpr int64_t kDaysPerEra = 146'097;  // 400 years
  constexpr int64_t kFirstDay = 719'468;    // days of 0000-03-01 before 1970
  constexpr Parts kFirst = {kFirstDay / kDaysPerEra, kFirstDay % kDaysPerEra};
  const Parts since_1970 = parts_of(day, kDaysPerEra);
  // Added separately, since the sum of the days may be too large.
  const Parts eras = parts_of(since_1970.rest + kFirst.rest, kDaysPerEra);
  const int64_t era = since_1970.whole + kFirst.whole + eras.whole;
  const int64_t day_of_era = eras.rest;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);

  to = fmt::format_to(to, FMT_COMPILE("{:04}"), year > 0 ? year : 1 - year);
  *to++ = '-';
  to = put_digits(to, month, 2);
  *to++ = '-';
  to = put_digits(to, day_of_month, 2);
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
  const auto [day, time_of_day] = parts_of(time, units_per_day);
  char* end = put_date(text_.data(), day);
  *end++ = ' ';
  end = put_time_of_day(end, time_of_day, units_per_second);
  constexpr std::string_view kUtc = "+00";
  return until(has_zone ? std::ranges::copy(kUtc, end).out : end);
}

}  // namespace equinoise
