// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/cell.h"

#include <cmath>

#include "equinoise/base/int128.h"
#include "equinoise/data/values/printed_number.h"
#include "equinoise/data/values/printed_time.h"

namespace equinoise {

Cell Cell::of(float value) {
  // A whole number has the digits that it has as a double.
  if (value == std::floor(value)) return of(double{value});
  return std::isnan(value) ? Cell() : Cell(Kind::kSingle, {.single = value});
}

std::optional<double> Cell::number() const {
  if (kind_ == Kind::kInteger) return static_cast<double>(value_.integer);
  if (kind_ == Kind::kUnsigned) return static_cast<double>(value_.natural);
  return kind_ == Kind::kNumber ? std::optional(value_.number) : std::nullopt;
}

bool Cell::is_rounded() const {
  if (kind_ == Kind::kInteger)
    return static_cast<Int128>(static_cast<double>(value_.integer)) != value_.integer;
  return kind_ == Kind::kUnsigned &&
         static_cast<Uint128>(static_cast<double>(value_.natural)) != value_.natural;
}

std::optional<ParsedTime> Cell::time() const {
  if (kind_ != Kind::kDate && kind_ != Kind::kTimestamp) return std::nullopt;
  const int64_t units_per_day = kind_ == Kind::kDate ? 1 : 86'400 * units_per_second();
  const auto [day, clock] = floor_quotient(value_.integer, units_per_day);
  ParsedTime time;
  time.day = day;
  static const int64_t kFirst = first_day_of(1, 1);
  static const int64_t kEnd = first_day_of(10'000, 1);
  if (time.day < kFirst || time.day >= kEnd) return std::nullopt;
  if (kind_ == Kind::kDate) return time;
  time.has_time = true;
  if (has_zone_) time.offset = 0;
  constexpr int64_t kFinest = 1'000'000;
  if (units_per_second() <= kFinest) {
    time.microseconds = clock * (kFinest / units_per_second());
  } else {
    const int64_t parts = units_per_second() / kFinest;
    time.microseconds = clock / parts;
    time.is_cut = clock % parts != 0;
  }
  return time;
}

std::string_view Cell::print(std::string& buffer) const {
  PrintedNumber number;
  PrintedTime time;
  switch (kind_) {
    case Kind::kInteger:
      return buffer = number.print(value_.integer);
    case Kind::kUnsigned:
      return buffer = number.print(value_.natural);
    case Kind::kNumber:
      return buffer = number.print(value_.number);
    case Kind::kSingle:
      return buffer = number.print(value_.single);
    case Kind::kDate:
      return buffer = time.print_date(value_.integer);
    case Kind::kTimeOfDay:
      return buffer = time.print_time_of_day(value_.integer, units_per_second());
    default:
      return buffer = time.print_timestamp(value_.integer, units_per_second(), has_zone_);
  }
}

}  // namespace equinoise
