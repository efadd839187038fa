// SPDX-License-Identifier: Apache-2.0
#include "cli/request_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <thread>
#include <type_traits>
#include <utility>

#include "cli/command_tree.h"
#include "cli/method_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/quotes.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/report/json.h"

namespace equinoise::cli {

namespace {

/// CLI11 would wrap -1 around and truncate numbers that are too large.
std::string check_whole(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size()
             ? ""
             : fmt::format("{} is not a whole number from 0 to 2^64 - 1", text);
}

/// Reads "Female=2"; the name may hold any character, the number follows the last "=".
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

/// The words of an option, for help and completion; where `must_be_one` others are refused.
CLI::Validator known(const std::vector<std::string_view>& words, bool must_be_one) {
  return {[words, must_be_one](const std::string& text) {
            if (!must_be_one || contains(words, text)) return std::string();
            return fmt::format("must be {}{}{}, got {}",
                               fmt::join(words.begin(), words.end() - 1, ", "),
                               words.size() > 1 ? " or " : "", words.back(), text);
          },
          fmt::format("{{{}}}", fmt::join(words, ","))};
}

/// Refuses numbers outside the range; help shows one with two ends.
CLI::Validator within(const OptionRange& range, const std::string& type) {
  const bool is_closed = std::isfinite(range.low) && std::isfinite(range.high);
  return {[range](const std::string& text) {
            const std::optional<double> number = parse_number(text);
            return !number || takes(range, *number)
                       ? std::string()
                       : fmt::format("must be {}, got {}", to_text(range), text);
          },
          is_closed ? fmt::format("{} in [{} - {}]", type, range.low, range.high) : ""};
}

/// Lets parsing refuse names of one question that are given by two flags.
void refuse_twice(const std::string& flag, CLI::Option& option) {
  option.inject_separator();  // an empty text between those of two flags
  option.check([&option, flag](const std::string& text) {
    std::vector<std::string> texts = option.results();
    const bool is_separator = text.empty() && texts.size() > 1 && !texts.back().empty();
    if (!is_separator) return std::string();
    std::erase(texts, text);
    throw Error(ErrorKind::kUsage, "cli.options",
                "{0} is given twice; write {0} {1} to combine them, or run the command once for "
                "each",
                flag, fmt::join(texts, ","));
  });
}

/// Adds one option, by the type of its field.
struct OptionAdder {
  CLI::App& command;
  const OptionFacts& facts;
  const CommonOptions& common;
  std::string flag;
  std::string help = help_of(facts);

  CLI::Option* operator()(bool* field) const { return command.add_flag(flag, *field, help); }

  CLI::Option* operator()(const RequestOption::Flag& field) const {
    return command.add_flag_callback(flag, field.set, help)->disable_flag_override();
  }

  template <typename Number>
  CLI::Option* operator()(Number* field) const {
    CLI::Option* option = command.add_option(flag, *field, help);
    if constexpr (std::is_same_v<Number, size_t>) option->check(check_whole);
    return with_default(option);
  }

  template <typename Number>
  CLI::Option* operator()(std::optional<Number>* field) const {
    CLI::Option* option = command.add_option_function<Number>(
        flag, [field](const Number& number) { *field = number; }, help);
    if constexpr (std::is_same_v<Number, size_t>) option->check(check_whole);
    return option;
  }

  CLI::Option* operator()(std::string* field) const {
    CLI::Option* option = command.add_option(flag, *field, help);
    if (!facts.choices.empty()) option->check(known(facts.choices, false));
    return with_default(option);
  }

  // Through a string: CLI11 would cut a path at its first blank.
  CLI::Option* operator()(std::filesystem::path* field) const {
    return read([field](const std::string& path) { *field = path; })->default_str(field->string());
  }

  CLI::Option* operator()(const RequestOption::Table& table) const {
    return read([source = table.source, &host = common.host](const std::string& name) {
      *source = host.table(name);
    });
  }

  CLI::Option* operator()(const RequestOption::Text& text) const {
    if (text.is_repeatable) return read_each(text.read);
    CLI::Option* option = read(text.read)->default_str(text.usual);
    if (!text.type.empty()) option->expected(0, 1)->type_name(std::string(text.type));
    if (!facts.choices.empty()) option->check(known(facts.choices, text.type.empty()));
    return option;
  }

  CLI::Option* operator()(std::vector<std::string>* field) const {
    return command.add_option(flag, *field, help);
  }

  CLI::Option* operator()(const RequestOption::Names& field) const {
    const auto set = [names = field.names](const std::vector<std::string>& texts) {
      names->clear();
      for (const std::string& text : texts) append(*names, split_names(text));
    };
    CLI::Option* option = command.add_option_function<std::vector<std::string>>(flag, set, help)
                              ->type_name(kNamesType);
    if (field.is_one_question) refuse_twice(flag, *option);
    return option;
  }

  CLI::Option* operator()(std::vector<std::vector<std::string>>* field) const {
    return read_each([field](const std::string& text) { field->push_back(split_names(text)); });
  }

  template <typename Number>
  CLI::Option* operator()(std::vector<Number>* field) const {
    CLI::Option* option = command.add_option(flag, *field, help)->delimiter(',');
    if constexpr (std::is_same_v<Number, size_t>) {
      // Sizes have no sign, and what reads them takes one away.
      option->check([](const std::string& text) {
        return text.starts_with('-') ? fmt::format("a size is not negative, got {}", text) : "";
      });
    }
    return field->empty() ? option : with_default(option);
  }

  CLI::Option* operator()(std::map<std::string, double>* field) const {
    return read_each([this_flag = flag, field](const std::string& text) {
      read_named_number(this_flag, text, *field);
    });
  }

  CLI::Option* operator()(const RequestOption::ForEach& field) const {
    return read_each([this_flag = flag, field](const std::string& text) {
             if (const std::optional<double> number = parse_number(text)) {
               *field.all = *number;
             } else {
               read_named_number(this_flag, text, *field.named);
             }
           })
        ->default_str(fmt::format("{}", *field.all));
  }

 private:
  CLI::Option* with_default(CLI::Option* option) const {
    const bool has_default = facts.derived.empty() && !facts.is_required;
    return has_default ? option->capture_default_str() : option;
  }

  CLI::Option* read(const std::function<void(const std::string&)>& set) const {
    return command.add_option_function<std::string>(flag, set, help);
  }

  CLI::Option* read_each(const std::function<void(const std::string&)>& set) const {
    return command.add_option_function<std::vector<std::string>>(
        flag,
        [set](const std::vector<std::string>& texts) {
          for (const std::string& text : texts) set(text);
        },
        help);
  }
};

/// "--strict-bound", or "item" for a word without a flag.
std::string spelling_of(const RequestOption& option) {
  return option.is_positional ? std::string(option.facts.name) : flag_of(option.facts.name);
}

const RequestOption& named(const RequestOptions& options, std::string_view name) {
  return *std::ranges::find_if(
      options, [&](const RequestOption& option) { return option.facts.name == name; });
}

/// So many options of a command fit a screen, and help shows all that have no heading.
constexpr size_t kMaxInHelp = 20;

std::string heading_of(const OptionFacts& facts, bool is_one_of_many) {
  if (facts.is_hidden) return kNotShown;
  if (facts.is_common || facts.is_required || !facts.required_without.empty())
    return kCommonOptions;
  if (!facts.section.empty()) return std::string(facts.section);
  return is_one_of_many ? kFurtherOptions : kCommonOptions;
}

bool is_unlimited(const OptionRange& range) {
  return !std::isfinite(range.low) && !std::isfinite(range.high);
}

}  // namespace

void add_options(CLI::App& command, const RequestOptions& options, const CommonOptions& common) {
  const bool has_positional = std::ranges::any_of(options, &RequestOption::is_positional);
  for (const RequestOption& option : options) {
    const OptionFacts& facts = option.facts;
    CLI::Option* added =
        std::visit(OptionAdder{command, facts, common, spelling_of(option)}, option.field);
    if (!is_unlimited(facts.range)) added->check(within(facts.range, added->get_type_name()));
    if (facts.is_required) added->required();
    // A list takes all words behind its flag, unless one of them may be the command's own.
    if (has_positional) added->allow_extra_args(false);
    if (facts.is_of_one_run) added->configurable(false);
    added->group(heading_of(facts, options.size() > kMaxInHelp));
  }
  for (const RequestOption& option : options) {
    CLI::Option* added = command.get_option(spelling_of(option));
    for (const std::string_view other : option.facts.excludes)
      added->excludes(command.get_option(spelling_of(named(options, other))));
    if (!option.facts.needs.empty())
      added->needs(command.get_option(spelling_of(named(options, option.facts.needs))));
  }
}

void check_given(const CLI::App& command, const RequestOptions& options) {
  for (const RequestOption& option : options) {
    const OptionFacts& facts = option.facts;
    const bool given = command.count(spelling_of(option)) > 0;
    if (facts.is_required && !given) throw CLI::RequiredError(spelling_of(option));
    const std::string_view without = facts.required_without;
    if (!without.empty() && !given && !is_given(command, without)) {
      throw Error(ErrorKind::kUsage, "cli.options", "{} is required, except with {}",
                  flag_of(facts.name), flag_of(without));
    }
    if (!facts.goes_with.empty() && given != is_given(command, facts.goes_with)) {
      throw Error(ErrorKind::kUsage, "cli.options", "{} and {} go together: {}",
                  flag_of(facts.goes_with), flag_of(facts.name), facts.because);
    }
    const auto* table = std::get_if<RequestOption::Table>(&option.field);
    if (given && table != nullptr && table->layout != nullptr)
      refuse_unused_layout(command.get_option(flag_of(facts.name))->results().back(),
                           *table->layout);
  }
}

void allow_commands_below(CLI::App& command) {
  command.require_subcommand(0, 1);
  for (CLI::Option* option : command.get_options()) option->required(false);
}

bool is_given(const CLI::App& command, std::string_view name) {
  return command.count(flag_of(name)) > 0;
}

void print_json(const nlohmann::ordered_json& document, const CommonOptions& common) {
  common.print("{}", to_text(document));
}

void tell_beside_rows(const std::string& text, const CommonOptions& common) {
  common.host.flush();
  if (!common.quiet) common.tell(text);
}

int num_threads(const CommonOptions& common) {
  return common.threads > 0 ? common.threads
                            : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace equinoise::cli
