// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/method_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/lists.h"

namespace equinoise {

std::string flag_of(std::string_view name) {
  std::string flag = fmt::format("--{}", name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string to_text(const OptionRange& range) {
  const bool has_low = std::isfinite(range.low);
  const bool has_high = std::isfinite(range.high);
  if (has_low && has_high && range.takes_low && range.takes_high)
    return fmt::format("{} to {}", range.low, range.high);
  std::string text;
  if (has_low) text = fmt::format("{} {}", range.takes_low ? "at least" : "above", range.low);
  if (has_high) {
    text += fmt::format("{}{} {}", has_low ? ", " : "", range.takes_high ? "at most" : "below",
                        range.high);
  }
  return text;
}

bool takes(const OptionRange& range, double value) {
  return std::isfinite(value) && (range.takes_low ? value >= range.low : value > range.low) &&
         (range.takes_high ? value <= range.high : value < range.high);
}

void check_value(std::string_view where, const OptionFacts& facts, double value) {
  const OptionRange& range = facts.range;
  if (takes(range, value)) return;
  const std::string asked = to_text(range);
  if (std::isfinite(range.low) && std::isfinite(range.high) && range.takes_low && range.takes_high)
    check_interval(where, facts.name, value, range.low, range.high);
  throw Error(ErrorKind::kUsage, where, "{} must be {}, got {}", facts.name,
              asked.empty() ? "a finite number" : asked, value);
}

void check_value(std::string_view where, const OptionFacts& facts, const std::string& value) {
  const std::vector<std::string_view>& choices = facts.choices;
  if (choices.empty() || contains(choices, value)) return;
  const std::string known =
      fmt::format("{} or {}", fmt::join(choices.begin(), choices.end() - 1, ", "), choices.back());
  throw Error(ErrorKind::kUsage, where, "{} must be {}, got \"{}\"", facts.name, known, value);
}

}  // namespace equinoise
