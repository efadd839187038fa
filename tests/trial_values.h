// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "equinoise/base/option_value.h"

namespace equinoise::testing {

/// Whether an option with these facts takes the number.
inline bool takes(const OptionFacts& facts, double value) {
  const OptionRange& range = facts.range;
  return (range.takes_low ? value >= range.low : value > range.low) &&
         (range.takes_high ? value <= range.high : value < range.high);
}

/// Values of an option other than the one that it has in `config`, as its declaration permits them:
/// so a test of all options knows those that are still to come. Numbers by name are of a group "a".
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
  Config probe = config;
  visit_values(option, probe, [&](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      values.emplace_back(std::vector<std::string>{"mean"});
    } else if constexpr (std::is_same_v<Value, std::string>) {
      values.emplace_back(std::string("mean"));
    } else {
      for (const double number : numbers) {
        if (!takes(facts, number) || number == number_now) continue;
        if constexpr (std::is_same_v<Value, std::map<std::string, double>>) {
          values.emplace_back(std::map<std::string, double>{{"a", number}});
        } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
          values.emplace_back(std::vector<double>{number});
        } else if constexpr (std::is_integral_v<Value>) {
          values.emplace_back(static_cast<int64_t>(number));
        } else {
          values.emplace_back(number);
        }
      }
    }
  });
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
