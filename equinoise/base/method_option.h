// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/lists.h"

namespace equinoise {

/// The numbers that an option takes.
struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool takes_low = true;  ///< whether `low` itself is one of them
  bool takes_high = true;
};

/// Above 0, at most `high`.
constexpr OptionRange positive(double high = std::numeric_limits<double>::infinity()) {
  return {0, high, false, true};
}
/// The numbers from `low` to `high`, both included.
constexpr OptionRange between(double low, double high) { return {low, high}; }
/// Above `low` and below `high`.
constexpr OptionRange strictly_between(double low, double high) {
  return {low, high, false, false};
}

/// Returns whether a number is in the range; one that is not finite never is.
bool takes(const OptionRange& range, double value);

/// The facts of an option, from which help, refusals, run files and docs are made.
struct OptionFacts {
  std::string_view name;   ///< "strict_bound"; on the command line --strict-bound
  bool is_common = false;  ///< most runs choose it: --help shows it, --help-all the others, too
  std::string help = {};   ///< a phrase that could stand alone
  OptionRange range = {};  ///< of each number
  std::vector<std::string_view> choices =
      {};                         ///< the only words that it takes; empty if it takes no words
  std::string derived = {};       ///< the default in words, if it is not a constant
  std::string_view section = {};  ///< the heading under which help shows it
  bool is_hidden = false;         ///< help does not show it
  bool is_required = false;
  std::string_view required_without = {};  ///< required unless the option of this name is given
  std::vector<std::string_view> excludes = {};  ///< options that must not be given with it
  std::string_view needs = {};                  ///< the option without which it must not be given
  /// The option that must be given exactly if this one is, and the reason.
  std::string_view goes_with = {};
  std::string_view because = {};
  bool is_of_one_run = false;  ///< never in run files
  /// The name of an option that this one depends on, and the words of that option with which this
  /// one has an effect; none: any word except its default.
  std::string_view depends_on = {};
  std::vector<std::string_view> on_words = {};
  /// An option that also gives this one an effect if it has several values, and the beginnings of
  /// words of that option that do so alone.
  std::string_view or_several_of = {};
  std::vector<std::string_view> or_words = {};
};

/// "--strict-bound"
std::string flag_of(std::string_view name);

/// "above 0, at most 20", "0 to 1", "above 0, below 1"; "" for all numbers.
std::string to_text(const OptionRange& range);

/// Errors: kUsage, naming `where`, the option and the value, for a value that the option does not
/// take.
void check_value(std::string_view where, const OptionFacts& facts, double value);
void check_value(std::string_view where, const OptionFacts& facts, const std::string& value);

/// An option and the field of a configuration that holds its value.
template <typename Config>
struct MethodOption {
  template <typename Value>
  using Field = Value& (*)(Config&);
  using MaybeNumber = std::optional<double>;
  using Numbers = std::vector<double>;
  using Sizes = std::vector<size_t>;
  using Words = std::vector<std::string>;
  using Named = std::map<std::string, double>;

  /// One number, or numbers by name, or both.
  struct ForEach {
    Field<double> all;
    Field<Named> named;
  };

  /// A value of an enumeration, written as one of `choices`; others must not be set.
  struct Word {
    std::string (*get)(Config&);
    void (*set)(Config&, std::string_view);
  };

  OptionFacts facts;
  std::variant<Field<double>, Field<int>, Field<int64_t>, Field<size_t>, Field<MaybeNumber>,
               Field<std::string>, Field<Numbers>, Field<Sizes>, Field<Words>, Field<Named>,
               ForEach, Word>
      field;
};

/// The field of a configuration at the end of a path of members, as a function.
template <typename Config, auto First, auto... Rest>
constexpr auto& field_at(Config& config) {
  auto& member = config.*First;
  if constexpr (sizeof...(Rest) == 0) {
    return member;
  } else {
    return field_at<std::remove_reference_t<decltype(member)>, Rest...>(member);
  }
}

/// The field that a function returns and that holds an enumeration, by its words.
template <typename Config, const auto& words, auto field>
constexpr typename MethodOption<Config>::Word word_in() {
  return {[](Config& config) { return std::string(word_of(words, field(config))); },
          [](Config& config, std::string_view text) {
            if (const auto value = value_of(words, text)) field(config) = *value;
          }};
}

/// The same at the end of a path of members.
template <typename Config, const auto& words, auto... Path>
constexpr typename MethodOption<Config>::Word word_at() {
  return word_in<Config, words, &field_at<Config, Path...>>();
}

/// The class that a member belongs to.
template <typename Class, typename Member>
Class class_of(Member Class::*);

/// The field of a method's own struct (own_options.h), as a function.
template <typename Config, auto member>
constexpr auto& own_field_at(Config& config) {
  return config.own.template of<decltype(class_of(member))>().*member;
}

/// The field of a method's own struct that holds an enumeration, by its words.
template <typename Config, const auto& words, auto member>
constexpr typename MethodOption<Config>::Word own_word_at() {
  return word_in<Config, words, &own_field_at<Config, member>>();
}

/// Calls `visit` with each value of the option: with its one field, or with both; for an
/// enumeration with its word.
template <typename Config, typename Visit>
void visit_values(const MethodOption<Config>& option, const Config& config, Visit visit) {
  Config values = config;  // fields are those of a configuration that may change
  std::visit(
      [&](const auto& field) {
        if constexpr (requires { field.all; }) {
          visit(field.all(values));
          visit(field.named(values));
        } else if constexpr (requires { field.get; }) {
          visit(field.get(values));
        } else {
          visit(field(values));
        }
      },
      option.field);
}

/// Gives the option the value in `to` that it has in `from`.
template <typename Config>
void copy_value(const MethodOption<Config>& option, const Config& from, Config& to) {
  Config values = from;  // fields are those of a configuration that may change
  std::visit(
      [&](const auto& field) {
        if constexpr (requires { field.all; }) {
          field.all(to) = field.all(values);
          field.named(to) = field.named(values);
        } else if constexpr (requires { field.get; }) {
          field.set(to, field.get(values));
        } else {
          field(to) = field(values);
        }
      },
      option.field);
}

/// Returns whether there is an option of this name.
template <typename Config>
bool has_option(std::span<const MethodOption<Config>> options, std::string_view name) {
  return std::ranges::any_of(
      options, [&](const MethodOption<Config>& option) { return option.facts.name == name; });
}

/// The names of the rows of a registry, and others before them.
template <typename Rows>
std::vector<std::string_view> names_in(const Rows& rows, std::vector<std::string_view> names = {}) {
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

/// The options of all rows of a registry, each once, in the order of their first appearance.
template <typename Config, typename Rows>
std::vector<MethodOption<Config>> options_of_rows(const Rows& rows) {
  std::vector<MethodOption<Config>> all;
  for (const auto& row : rows) {
    for (const MethodOption<Config>& option : row.options())
      if (!has_option<Config>(all, option.facts.name)) all.push_back(option);
  }
  return all;
}

/// A value as written on a command line, with all its digits: one text for each time the flag is
/// given, none for no value.
template <typename Value>
std::vector<std::string> written(const Value& value) {
  if constexpr (requires { value.has_value(); }) {
    return value ? written(*value) : std::vector<std::string>();
  } else if constexpr (std::is_same_v<Value, std::map<std::string, double>>) {
    std::vector<std::string> words;
    for (const auto& [name, number] : value)
      words.push_back(fmt::format("\"{}={}\"", name, number));
    return words;
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return {fmt::format("{}", value)};
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return value.empty() ? std::vector<std::string>() : std::vector<std::string>{value};
  } else {
    if (std::is_same_v<Value, std::vector<size_t>> && value.empty()) return {};
    return {fmt::format("{}", fmt::join(value, ","))};
  }
}

/// The same for all values of an option.
template <typename Config>
std::vector<std::vector<std::string>> written_values(const MethodOption<Config>& option,
                                                     const Config& config) {
  std::vector<std::vector<std::string>> values;
  visit_values(option, config, [&](const auto& value) { values.push_back(written(value)); });
  return values;
}

/// The same one after another; "" for none.
template <typename Config>
std::string written_text(const MethodOption<Config>& option, const Config& config) {
  std::string text;
  for (const std::vector<std::string>& words : written_values(option, config))
    for (const std::string& word : words) text += word;
  return text;
}

/// The default of an option: "1", "population", "10 max_grad_norm"; "none" where there is none.
template <typename Config>
std::string default_text(const MethodOption<Config>& option) {
  if (!option.facts.derived.empty()) return option.facts.derived;
  const std::string text = written_text(option, Config());
  return text.empty() ? "none" : text;
}

/// The option of that name as written on a command line, with all its values; "" if there is none.
template <typename Config>
std::string written_option(std::string_view name, std::span<const MethodOption<Config>> options,
                           const Config& config) {
  const auto option = std::ranges::find(
      options, name, [](const MethodOption<Config>& row) { return row.facts.name; });
  return option == options.end() ? "" : written_text(*option, config);
}

/// The words of the option that this one depends on, if this one has no effect with them.
template <typename Config>
std::optional<std::string> unused_by(const MethodOption<Config>& option,
                                     std::span<const MethodOption<Config>> options,
                                     const Config& config) {
  const OptionFacts& facts = option.facts;
  if (facts.depends_on.empty()) return std::nullopt;
  const std::string text = written_option(facts.depends_on, options, config);
  const bool is_used = facts.on_words.empty()
                           ? text != written_option(facts.depends_on, options, Config())
                           : contains(facts.on_words, text);
  const std::string other = written_option(facts.or_several_of, options, config);
  const bool is_used_by_other = other.find(',') != other.npos ||
                                std::ranges::any_of(facts.or_words, [&](std::string_view word) {
                                  return other.starts_with(word);
                                });
  if (is_used || is_used_by_other) return std::nullopt;
  return text;
}

/// Checks the values of all options. Errors: those of check_value.
template <typename Config>
void check_options(std::string_view where, std::span<const MethodOption<Config>> options,
                   const Config& config) {
  for (const MethodOption<Config>& option : options) {
    visit_values(option, config, [&](const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, std::optional<double>>) {
        if (value) check_value(where, option.facts, *value);
      } else if constexpr (std::is_same_v<Value, std::map<std::string, double>>) {
        for (const auto& [name, number] : value) check_value(where, option.facts, number);
      } else if constexpr (std::is_arithmetic_v<Value>) {
        check_value(where, option.facts, static_cast<double>(value));
      } else if constexpr (std::is_same_v<Value, std::string>) {
        check_value(where, option.facts, value);
      } else if constexpr (std::is_same_v<Value, std::vector<size_t>>) {
        for (size_t part : value) check_value(where, option.facts, static_cast<double>(part));
      } else {
        for (const auto& part : value) check_value(where, option.facts, part);
      }
    });
  }
}

/// The command-line text of all options with values that differ from those of `usual`: " --momentum
/// 0.5 --max-share \"Female=0.2\"".
template <typename Config>
std::string changed_flags(std::span<const MethodOption<Config>> options, const Config& config,
                          const Config& usual) {
  std::string flags;
  for (const MethodOption<Config>& option : options) {
    const std::vector<std::vector<std::string>> before = written_values(option, usual);
    const std::vector<std::vector<std::string>> now = written_values(option, config);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i] == before[i]) continue;
      for (const std::string& word : now[i]) flags += " " + flag_of(option.facts.name) + " " + word;
    }
  }
  return flags;
}

}  // namespace equinoise
