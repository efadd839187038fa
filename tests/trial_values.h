// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "equinoise/base/option_value.h"

namespace equinoise::testing {

/// The number as a value of the option; none of one that takes no numbers. Numbers by name are of a
/// group "a".
template <typename Config>
std::vector<OptionValue> values_of_number(const MethodOption<Config>& option, double number) {
  std::vector<OptionValue> values;
  Config probe;
  visit_values(option, probe, [&](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::map<std::string, double>>) {
      values.emplace_back(std::map<std::string, double>{{"a", number}});
    } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
      values.emplace_back(std::vector<double>{number});
    } else if constexpr (std::is_integral_v<Value>) {
      if (std::floor(number) == number && std::fabs(number) < 0x1p31)
        values.emplace_back(static_cast<int64_t>(number));
    } else if constexpr (!std::is_same_v<Value, std::string> &&
                         !std::is_same_v<Value, std::vector<std::string>>) {
      values.emplace_back(number);
    }
  });
  return values;
}

/// The least and the largest number of a range; close to an end that is none of its numbers, and
/// 1e9 where it has no end.
inline std::vector<double> ends_of(const OptionRange& range) {
  const double low = std::isfinite(range.low) ? range.low : -1e9;
  const double high = std::isfinite(range.high) ? range.high : 1e9;
  const double inset = 1e-9 * std::min(high - low, 1.0);
  return {low + (range.takes_low ? 0 : inset), high - (range.takes_high ? 0 : inset)};
}

/// Numbers that a range must refuse: beyond its ends, infinite, NaN.
inline std::vector<double> numbers_outside(const OptionRange& range) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> outside = {std::nan(""), kInfinity, -kInfinity};
  const auto add = [&](double end, bool takes_end, double beyond) {
    if (!std::isfinite(end)) return;
    outside.push_back(takes_end ? std::nextafter(end, beyond) : end);
    outside.push_back(std::floor(end + std::copysign(std::max(1.0, std::fabs(end)), beyond)));
  };
  add(range.low, range.takes_low, -kInfinity);
  add(range.high, range.takes_high, kInfinity);
  return outside;
}

/// Values of an option other than the one that it has in `config`, as its declaration permits them:
/// so a test of all options knows those that are still to come.
template <typename Config>
std::vector<OptionValue> trial_values(const MethodOption<Config>& option, const Config& config) {
  const OptionFacts& facts = option.facts;
  std::vector<OptionValue> values;
  if (!facts.choices.empty()) {
    const std::string now = written_option<Config>(facts.name, {{option}}, config);
    for (const std::string_view word : facts.choices)
      if (word != now) values.emplace_back(std::string(word));
    return values;
  }
  std::vector<double> numbers = {0.5, 0.05, 9, 100};
  const std::vector<Setting> now = settings_of<Config>({&option, 1}, config);
  std::optional<double> number_now;
  if (!now.empty()) {
    if (const auto* number = std::get_if<double>(&now[0].value)) number_now = *number;
    if (const auto* whole = std::get_if<int64_t>(&now[0].value))
      number_now = static_cast<double>(*whole);
  }
  if (number_now)
    numbers.insert(numbers.begin(), {*number_now / 2, *number_now * 2, *number_now / 500});
  for (size_t i = 0, size = numbers.size(); i < size; ++i)
    numbers.push_back(std::floor(numbers[i]));
  Config probe = config;
  visit_values(option, probe, [&](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      for (const char* word : {"mean", "mean*another"})
        values.emplace_back(std::vector<std::string>{word});
    } else if constexpr (std::is_same_v<Value, std::string>) {
      values.emplace_back(std::string("mean"));
    }
  });
  for (const double number : numbers) {
    if (!takes(facts.range, number) || number == number_now) continue;
    for (OptionValue& value : values_of_number(option, number)) values.push_back(std::move(value));
  }
  return values;
}

/// The value as a user writes it on the command line, for a group of that name.
inline std::string on_command_line(const OptionValue& value, const std::string& group) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* whole = std::get_if<int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* numbers = std::get_if<std::vector<double>>(&value))
    return fmt::format("{}", fmt::join(*numbers, ","));
  if (const auto* words = std::get_if<std::vector<std::string>>(&value))
    return fmt::format("{}", fmt::join(*words, ","));
  if (const auto* named = std::get_if<std::map<std::string, double>>(&value))
    return fmt::format("{}={}", group, named->begin()->second);
  return std::get<bool>(value) ? "true" : "false";
}

}  // namespace equinoise::testing
