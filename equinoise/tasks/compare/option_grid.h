// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/base/method_option.h"
#include "equinoise/base/method_status.h"
#include "equinoise/base/option_value.h"

namespace equinoise {

/// An option of methods with the values to be tried, as typed.
struct GridOption {
  std::string name;
  std::vector<std::string> values;
};

/// "max_grad_norm=0.5,1". Errors: kUsage.
GridOption parse_grid_option(const std::string& text);

/// A method to compare.
struct CompareMethod {
  std::string name;
  bool has_guarantee = true;  ///< false: a reference
};

/// The options that a grid may vary, for methods of one kind.
struct GridScope {
  std::vector<OptionFacts> options;
  std::vector<std::string> shared;     ///< names of options that are the same for all methods
  std::vector<CompareMethod> methods;  ///< all, in display order
  std::function<bool(std::string_view method, std::string_view option)> follows;
  /// Parses the text of an option's value. Errors: kUsage for an invalid text.
  std::function<OptionValue(size_t option, const std::string& text)> read;
  /// Whether an option has an effect for a method that follows it, given the options of a point.
  std::function<bool(std::string_view method, size_t option, std::span<const Setting> point)>
      does_something;
};

/// Options given with one or several values, for all methods that follow them.
class OptionGrid {
 public:
  /// Errors: kUsage for an unknown name (with the nearest one), an option that is given twice, an
  /// invalid or repeated value, and options that exclude each other.
  OptionGrid(GridScope scope, std::span<const GridOption> grid, std::span<const std::string> given);

  const std::vector<CompareMethod>& methods() const { return scope_.methods; }

  /// The points of the grid for a method: every combination of the options that it follows, without
  /// those that have no effect there.
  std::vector<std::vector<Setting>> points_of(std::string_view method) const;

  /// Records which options have an effect for a method that is compared at a point, except `idle`.
  void use(std::string_view method, std::span<const Setting> point, std::string_view idle);

  /// Errors: kUsage for an option without effect for any method and point of use(). `left_out`: the
  /// end of the message, the methods that are not compared.
  void require_used(const std::string& left_out) const;

 private:
  struct Option {
    size_t place = 0;             ///< index in the scope
    std::vector<Setting> values;  ///< in the grid; empty: given with a single value
    bool is_used = false;
  };

  size_t find(const std::string& name) const;
  const OptionFacts& facts_of(const Option& option) const { return scope_.options[option.place]; }
  bool does_something(const Option& option, std::string_view method,
                      std::span<const Setting> point) const;

  GridScope scope_;
  std::vector<Option> options_;
};

/// Errors: kUsage for texts that are not such a number, and numbers that are invalid for the
/// option.
double read_grid_number(const OptionFacts& facts, const std::string& text);
int64_t read_grid_count(const OptionFacts& facts, const std::string& text);

/// Errors: kUsage, always.
[[noreturn]] void refuse_grid_of_lists(const OptionFacts& facts);

/// The value of a text for an option that takes a single value. Errors: kUsage.
template <typename Config>
OptionValue read_grid_value(const MethodOption<Config>& option, const std::string& text) {
  const OptionFacts& facts = option.facts;
  const auto word = [&]() -> OptionValue {
    check_value("tasks.compare", facts, text);
    return text;
  };
  Config config;
  return std::visit(
      [&](const auto& field) -> OptionValue {
        if constexpr (requires { field.all; }) {
          return read_grid_number(facts, text);
        } else if constexpr (requires { field.get; }) {
          return word();
        } else {
          using Value = std::decay_t<decltype(field(config))>;
          if constexpr (std::is_same_v<Value, std::string>) {
            return word();
          } else if constexpr (std::is_integral_v<Value>) {
            return read_grid_count(facts, text);
          } else if constexpr (std::is_same_v<Value, double> ||
                               std::is_same_v<Value, std::optional<double>>) {
            return read_grid_number(facts, text);
          } else {
            refuse_grid_of_lists(facts);
          }
        }
      },
      option.field);
}

/// The configuration with the options of a point.
template <typename Config>
Config at_point(std::span<const MethodOption<Config>> options, std::span<const Setting> point,
                Config config) {
  apply_settings<Config>("tasks.compare", options, point, config);
  return config;
}

/// The options given by name.
template <typename Config>
std::vector<Setting> given_settings(const std::vector<MethodOption<Config>>& options,
                                    const Config& config, std::span<const std::string> given) {
  std::vector<Setting> settings = settings_of<Config>(options, config);
  std::erase_if(settings, [&](const Setting& setting) { return !contains(given, setting.name); });
  return settings;
}

/// A scope of these options, without `shared` yet. `methods`: the rows of their registry. `find`: a
/// row by name. `config`: a method's configuration before the options of a point.
template <typename Config, typename Row>
GridScope grid_scope(const std::vector<MethodOption<Config>>& options, std::span<const Row> methods,
                     const Row& (*find)(std::string_view method),
                     std::function<Config(std::string_view method)> config) {
  GridScope scope;
  for (const Row& row : methods)
    scope.methods.push_back({std::string(row.name), row.status == PrivacyStatus::kPrivate});
  scope.follows = [find](std::string_view method, std::string_view option) {
    return find(method).follows(option);
  };
  for (const MethodOption<Config>& option : options) scope.options.push_back(option.facts);
  scope.read = [options](size_t place, const std::string& text) {
    return read_grid_value(options[place], text);
  };
  scope.does_something = [options, config = std::move(config)](std::string_view method,
                                                               size_t place,
                                                               std::span<const Setting> point) {
    const Config there = at_point<Config>(options, point, config(method));
    return !unused_by<Config>(options[place], options, there);
  };
  return scope;
}

}  // namespace equinoise
