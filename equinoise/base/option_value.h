// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "equinoise/base/method_option.h"

namespace equinoise {

/// The value of any option, as files hold it. Whole numbers have no point; a seed beyond 2^63 is
/// text. For an option with one number for all and others by name, the map has the names and, under
/// "", the number for all.
using OptionValue = std::variant<bool, int64_t, double, std::string, std::vector<double>,
                                 std::vector<std::string>, std::map<std::string, double>>;

/// An option and its value.
struct Setting {
  std::string name;
  OptionValue value;
};

/// Figures by name, in their order.
using NamedFigures = std::vector<std::pair<std::string, double>>;

OptionValue to_option_value(double value);
OptionValue to_option_value(int64_t value);
OptionValue to_option_value(size_t value);

/// Errors: kInput, naming `where` and the option, for a value of another type.
double number_in(std::string_view where, std::string_view name, const OptionValue& value);
int64_t whole_number_in(std::string_view where, std::string_view name, const OptionValue& value);
std::vector<size_t> sizes_in(std::string_view where, std::string_view name,
                             const OptionValue& value);
std::map<std::string, double> named_numbers_in(std::string_view where, std::string_view name,
                                               const OptionValue& value);
[[noreturn]] void refuse_value(std::string_view where, std::string_view name,
                               std::string_view kind);

/// The value, which must be of this type. Errors: kInput, naming `where` and the option.
template <typename Value>
const Value& value_as(std::string_view where, std::string_view name, const OptionValue& value,
                      std::string_view kind) {
  if (!std::holds_alternative<Value>(value)) refuse_value(where, name, kind);
  return std::get<Value>(value);
}

/// The options that have a value, in their order. Options without a finite number, words or entries
/// have none.
template <typename Config>
std::vector<Setting> settings_of(std::span<const MethodOption<Config>> options,
                                 const Config& config) {
  Config values = config;  // fields are those of a configuration that may change
  std::vector<Setting> settings;
  for (const MethodOption<Config>& option : options) {
    const auto keep = [&](OptionValue value) {
      settings.push_back({std::string(option.facts.name), std::move(value)});
    };
    std::visit(
        [&](const auto& field) {
          if constexpr (requires { field.all; }) {
            std::map<std::string, double> named = field.named(values);
            named.emplace("", field.all(values));
            if (named.size() == 1) {
              keep(to_option_value(field.all(values)));
            } else {
              keep(std::move(named));
            }
          } else if constexpr (requires { field.get; }) {
            keep(field.get(values));
          } else {
            const auto& value = field(values);
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::optional<double>>) {
              if (value && std::isfinite(*value)) keep(to_option_value(*value));
            } else if constexpr (std::is_same_v<Value, double>) {
              if (std::isfinite(value)) keep(to_option_value(value));
            } else if constexpr (std::is_same_v<Value, int>) {
              keep(int64_t{value});
            } else if constexpr (std::is_integral_v<Value>) {
              keep(to_option_value(value));
            } else if constexpr (std::is_same_v<Value, std::vector<size_t>>) {
              if (!value.empty()) keep(std::vector<double>(value.begin(), value.end()));
            } else {
              if (!value.empty()) keep(value);
            }
          }
        },
        option.field);
  }
  return settings;
}

/// Sets the options from settings. Settings of unknown options are left alone. Errors: kInput,
/// naming `where` and the option, for a value of another type; kUsage for a word that is none of
/// its choices.
template <typename Config>
void apply_settings(std::string_view where, std::span<const MethodOption<Config>> options,
                    std::span<const Setting> settings, Config& config) {
  for (const MethodOption<Config>& option : options) {
    const std::string_view name = option.facts.name;
    for (const Setting& setting : settings) {
      if (setting.name != name) continue;
      const OptionValue& from = setting.value;
      std::visit(
          [&](const auto& field) {
            if constexpr (requires { field.all; }) {
              if (!std::holds_alternative<std::map<std::string, double>>(from)) {
                field.all(config) = number_in(where, name, from);
                return;
              }
              std::map<std::string, double> named = named_numbers_in(where, name, from);
              if (const auto all = named.extract("")) field.all(config) = all.mapped();
              field.named(config) = std::move(named);
            } else if constexpr (requires { field.get; }) {
              const auto& word = value_as<std::string>(where, name, from, "text");
              check_value(where, option.facts, word);
              field.set(config, word);
            } else {
              auto& value = field(config);
              using Value = std::decay_t<decltype(value)>;
              if constexpr (std::is_same_v<Value, std::optional<double>> ||
                            std::is_same_v<Value, double>) {
                value = number_in(where, name, from);
              } else if constexpr (std::is_integral_v<Value>) {
                const int64_t whole = whole_number_in(where, name, from);
                if (!std::in_range<Value>(whole))
                  refuse_value(where, name, "a whole number that is not too large");
                value = static_cast<Value>(whole);
              } else if constexpr (std::is_same_v<Value, std::map<std::string, double>>) {
                value = named_numbers_in(where, name, from);
              } else if constexpr (std::is_same_v<Value, std::vector<size_t>>) {
                value = sizes_in(where, name, from);
              } else {
                value = value_as<Value>(where, name, from,
                                        std::is_same_v<Value, std::string> ? "text" : "a list");
              }
            }
          },
          option.field);
    }
  }
}

}  // namespace equinoise
