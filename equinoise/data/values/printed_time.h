// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace equinoise {

/// The text of a date or a time in cells, which is the text that DuckDB prints. Each text is valid
/// until the next call. Any number of units can be printed; years before 1 have "(BC)".
class PrintedTime {
 public:
  /// 2020-03-01. `day`: since 1970-01-01.
  std::string_view print_date(int64_t day);

  /// 12:34:56, with decimals up to the last one that is not 0. `time`: since midnight, in units of
  /// 1/units_per_second seconds.
  std::string_view print_time_of_day(int64_t time, int64_t units_per_second);

  /// 2020-03-01 12:34:56.5, with +00 behind it if has_zone. `time`: units since 1970, in UTC with a
  /// zone.
  std::string_view print_timestamp(int64_t time, int64_t units_per_second, bool has_zone);

 private:
  char* put_date(char* to, int64_t day);
  char* put_time_of_day(char* to, int64_t time, int64_t units_per_second);
  std::string_view until(const char* end) const {
    return {text_.data(), static_cast<size_t>(end - text_.data())};
  }

  std::array<char, 64> text_;
};

}  // namespace equinoise
