// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "equinoise/base/method_option.h"
#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// An option and the request field that it sets. Flags, help, checks, run files and the parameters
/// of Python follow from it. The field must outlive the option.
struct RequestOption {
  /// Names between commas; a name in quotes may contain a comma.
  struct Names {
    std::vector<std::string>* names;
    bool is_one_question = false;  ///< they make one grouping or condition; refused if given twice
  };

  /// A flag without a value.
  struct Flag {
    std::function<void()> set;
  };

  /// A text that `read` parses; it throws a usage error for an invalid text.
  struct Text {
    std::function<void(const std::string&)> read;
    std::string usual = {};      ///< the default, if it is a constant
    bool is_repeatable = false;  ///< read once for each occurrence of the flag
    std::string_view type = {};  ///< the name of the value in help, if the flag alone is not enough
  };

  /// One number for all, numbers by name, or both.
  struct ForEach {
    double* all;
    std::map<std::string, double>* named;
  };

  /// A table, and options for the layout of its text, if the request has some.
  struct Table {
    TableSource* source;
    const TableOptions* layout = nullptr;
  };

  OptionFacts facts;
  std::variant<bool*, Flag, double*, int*, int64_t*, size_t*, std::optional<double>*,
               std::optional<int>*, std::optional<int64_t>*, std::optional<size_t>*, std::string*,
               std::filesystem::path*, Table, std::vector<std::string>*, Names,
               std::vector<std::vector<std::string>>*, std::vector<double>*, std::vector<size_t>*,
               std::map<std::string, double>*, ForEach, Text>
      field;
  bool is_positional = false;  ///< a word without a flag
};

using RequestOptions = std::vector<RequestOption>;

/// All of them, in order.
RequestOptions joined(std::initializer_list<RequestOptions> parts);

/// All except those of these names, which must be among them.
RequestOptions without(RequestOptions options, std::initializer_list<std::string_view> names);

/// Only those of these names, in the order of the options.
RequestOptions only(RequestOptions options, std::initializer_list<std::string_view> names);

/// The option of that name, to change its facts. Pre: there is one.
OptionFacts& facts_in(RequestOptions& options, std::string_view name);

/// The same options under a heading, unless they already have one.
RequestOptions under(std::string_view section, RequestOptions options);

/// A field that holds one of the words of an enumeration.
template <const auto& words, typename Enum>
RequestOption::Text word_field(Enum& value) {
  return {[&value](const std::string& text) { value = *value_of(words, text); },
          std::string(word_of(words, value))};
}

/// The same, empty if no word is given.
template <const auto& words, typename Enum>
RequestOption::Text word_field(std::optional<Enum>& value) {
  return {[&value](const std::string& text) { value = value_of(words, text); }};
}

/// NAME=TEXT, which may be repeated: `read` returns false for a name that already has a text.
/// `form`: "COLUMN=LOWER:UPPER"
RequestOption::Text text_by_name(std::string_view flag, std::string_view form,
                                 std::function<bool(std::string name, std::string text)> read);

/// Options of methods, for the fields of one configuration.
template <typename Config>
RequestOptions bound(std::span<const MethodOption<Config>> options, Config& config) {
  RequestOptions all;
  for (const MethodOption<Config>& option : options) {
    RequestOption& one = all.emplace_back(RequestOption{option.facts, {}});
    one.facts.range = {};  // plans check it
    std::visit(
        [&](const auto& field) {
          if constexpr (requires { field.all; }) {
            one.field = RequestOption::ForEach{&field.all(config), &field.named(config)};
          } else if constexpr (requires { field.get; }) {
            one.field = RequestOption::Text{
                [&config, field](const std::string& word) { field.set(config, word); },
                field.get(config)};
          } else if constexpr (requires { field(config).push_back(std::string()); }) {
            one.field = RequestOption::Names{&field(config)};
          } else {
            one.field = &field(config);
          }
        },
        option.field);
  }
  return all;
}

}  // namespace equinoise
