// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/request_option.h"

#include <algorithm>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/quotes.h"

namespace equinoise {

RequestOptions joined(std::initializer_list<RequestOptions> parts) {
  RequestOptions all;
  for (const RequestOptions& part : parts) append(all, part);
  return all;
}

RequestOptions without(RequestOptions options, std::initializer_list<std::string_view> names) {
  std::erase_if(options,
                [&](const RequestOption& option) { return contains(names, option.facts.name); });
  return options;
}

RequestOptions only(RequestOptions options, std::initializer_list<std::string_view> names) {
  std::erase_if(options,
                [&](const RequestOption& option) { return !contains(names, option.facts.name); });
  return options;
}

OptionFacts& facts_in(RequestOptions& options, std::string_view name) {
  return std::ranges::find_if(
             options, [&](const RequestOption& option) { return option.facts.name == name; })
      ->facts;
}

RequestOptions under(std::string_view section, RequestOptions options) {
  for (RequestOption& option : options)
    if (option.facts.section.empty()) option.facts.section = section;
  return options;
}

RequestOption::Text text_by_name(std::string_view flag, std::string_view form,
                                 std::function<bool(std::string name, std::string text)> read) {
  return {.read =
              [=, read = std::move(read)](const std::string& given) {
                const size_t equals = rfind_outside_quotes(given, '=');
                if (equals == std::string::npos || equals == 0) {
                  throw Error(ErrorKind::kUsage, "tasks.options", "{} needs {}, got \"{}\"", flag,
                              form, given);
                }
                const std::string name = given.substr(0, equals);
                if (!read(without_quotes(name), given.substr(equals + 1))) {
                  throw Error(ErrorKind::kUsage, "tasks.options", "{} {} is given twice", flag,
                              name);
                }
              },
          .is_repeatable = true};
}

}  // namespace equinoise
