// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/count_text.h"

#include <fmt/format.h>

namespace equinoise {

namespace {

std::string share_of(int64_t count, int64_t total) {
  constexpr double kNearlyAll = 99.9;
  constexpr double kNearlyNone = 0.1;
  const double percent = 100 * static_cast<double>(count) / static_cast<double>(total);
  if (count != total && percent > kNearlyAll) return fmt::format("more than {} %", kNearlyAll);
  if (count != 0 && percent < kNearlyNone) return fmt::format("less than {} %", kNearlyNone);
  return fmt::format("{:.3g} %", percent);
}

}  // namespace

std::string format_count(int64_t count) {
  std::string digits = std::to_string(count);
  const auto first = static_cast<std::ptrdiff_t>(digits.front() == '-' ? 1 : 0);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > first; place -= 3) {
    digits.insert(static_cast<size_t>(place), ",");
  }
  return digits;
}

std::string count_and_share(int64_t count, int64_t total, std::string_view what) {
  return fmt::format("{} of {} {} ({})", format_count(count), format_count(total), what,
                     share_of(count, total));
}

}  // namespace equinoise
