// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "equinoise/base/int128.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

/// Numbers of at most `largest` in magnitude as whole multiples of one unit, about 2^-61 of
/// `largest`. Sums of them depend neither on the order nor on whether equal numbers were merged: a
/// row that represents many records counts exactly as much as these. A sum has at most 2^64
/// numbers.
class FixedPoint {
 public:
  /// Pre: finite.
  explicit FixedPoint(double largest)
      : units_of_one_(0x1p61 / power_of_two_below(std::max(largest, 0x1p-900))) {}

  /// `times` the number; digits below a unit are cut off.
  Int128 units(double number, int64_t times = 1) const {
    return static_cast<Int128>(static_cast<int64_t>(number * units_of_one_)) * times;
  }

  double value(Int128 units) const { return static_cast<double>(units) / units_of_one_; }

 private:
  double units_of_one_;
};

}  // namespace equinoise
