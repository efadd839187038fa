// SPDX-License-Identifier: Apache-2.0
#include "cli/number_options.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "equinoise/base/quotes.h"

namespace equinoise::cli {

void read_named_number(const std::string& flag, const std::string& text,
                       std::map<std::string, double>& numbers) {
  const size_t equals = rfind_outside_quotes(text, '=');
  double number = 0;
  const char* end = text.data() + text.size();
  const char* begin = equals == text.npos ? end : text.data() + equals + 1;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (equals == 0 || error != std::errc() || rest != end) {
    throw CLI::ValidationError(flag,
                               fmt::format("write NAME=NUMBER, e.g. Female=2 or, for groups by "
                                           "several columns, \"Female,White=2\"; got \"{}\"",
                                           text));
  }
  if (!numbers.emplace(without_quotes(text.substr(0, equals)), number).second)
    throw CLI::ValidationError(flag, fmt::format("{} is given twice", text.substr(0, equals)));
}

CLI::Option* add_named_numbers(CLI::App& command, const std::string& flag,
                               std::map<std::string, double>& numbers,
                               const std::string& description) {
  return command
      .add_option_function<std::vector<std::string>>(
          flag,
          [flag, &numbers](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) read_named_number(flag, text, numbers);
          },
          description)
      ->allow_extra_args(false);
}

std::string check_seed(const std::string& text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  return error == std::errc() && end == text.data() + text.size()
             ? ""
             : fmt::format("{} is not a whole number from 0 to 2^64 - 1", text);
}

}  // namespace equinoise::cli
