// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/option_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/parse_number.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.compare";

/// What a grid may vary: options of methods, and the number of steps of all.
const TrainingOptions& grid_options() {
  static const TrainingOptions options = [] {
    TrainingOptions all = training_options();
    for (const TrainingOption& option : shared_options())
      if (option.facts.name == "steps") all.push_back(option);
    return all;
  }();
  return options;
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, problem);
}

const TrainingOption& find_option(const std::string& name) {
  std::vector<std::string> names;
  for (const TrainingOption& option : grid_options()) {
    if (option.facts.name == name) return option;
    names.emplace_back(option.facts.name);
  }
  if (has_option<TrainingConfig>(shared_options(), name))
    refuse(
        fmt::format("--grid {} is not possible: all methods are compared at the same "
                    "{}{}",
                    name, name, name == "epsilon" ? "; list several in --epsilon" : ""));
  const std::string nearest = nearest_name(name, names);
  refuse(fmt::format("--grid {}: no method has such an option{}", name,
                     nearest.empty() ? "; equinoise methods NAME lists them"
                                     : fmt::format("; did you mean {}?", nearest)));
}

double number_of(const OptionFacts& facts, const std::string& text) {
  const std::optional<double> number = parse_number(text);
  if (!number) refuse(fmt::format("--grid {}: {} is no number", facts.name, text));
  check_value(kWhere, facts, *number);
  return *number;
}

/// The value that a text is for an option, if one value is all that it takes.
OptionValue value_of_text(const TrainingOption& option, const std::string& text) {
  const OptionFacts& facts = option.facts;
  TrainingConfig config;
  return std::visit(
      [&](const auto& field) -> OptionValue {
        if constexpr (requires { field.all; }) {
          return number_of(facts, text);
        } else if constexpr (requires { field.get; }) {
          check_value(kWhere, facts, text);
          return text;
        } else {
          using Value = std::decay_t<decltype(field(config))>;
          if constexpr (std::is_same_v<Value, std::string>) {
            check_value(kWhere, facts, text);
            return text;
          } else if constexpr (std::is_integral_v<Value>) {
            const double number = number_of(facts, text);
            if (number != std::floor(number) || number < 0 || number > 0x1p53)
              refuse(fmt::format("--grid {}: {} is no whole number", facts.name, text));
            return static_cast<int64_t>(number);
          } else if constexpr (std::is_same_v<Value, double> ||
                               std::is_same_v<Value, std::optional<double>>) {
            return number_of(facts, text);
          } else {
            refuse(fmt::format("--grid {}: each of its values is a list, which a grid cannot hold",
                               facts.name));
          }
        }
      },
      option.field);
}

}  // namespace

bool is_followed(const TrainingMethodRow& row, std::string_view name) {
  return row.follows(name) || (name == "steps" && row.make()->steps_option().empty());
}

OptionGrid::OptionGrid(std::span<const GridOption> grid, std::span<const std::string> given) {
  for (const std::string& name : given) options_.push_back({&find_option(name), {}});
  for (const GridOption& asked : grid) {
    Option& option = options_.emplace_back(Option{&find_option(asked.name), {}});
    if (asked.values.empty()) refuse(fmt::format("--grid {} has no values", asked.name));
    for (const std::string& text : asked.values) {
      Setting value{asked.name, value_of_text(*option.option, text)};
      if (std::any_of(option.values.begin(), option.values.end(),
                      [&](const Setting& other) { return other.value == value.value; }))
        refuse(fmt::format("--grid {}: {} is repeated", asked.name, text));
      option.values.push_back(std::move(value));
    }
  }
  for (size_t i = 0; i < options_.size(); ++i) {
    for (size_t j = 0; j < options_.size(); ++j) {
      const OptionFacts& one = options_[i].option->facts;
      const OptionFacts& other = options_[j].option->facts;
      if (i < j && one.name == other.name) refuse(fmt::format("{} is given twice", one.name));
      if (one.excludes == other.name)
        refuse(fmt::format("{} and {} exclude each other", one.name, other.name));
    }
  }
}

std::vector<std::vector<Setting>> OptionGrid::points_of(const TrainingMethodRow& row,
                                                        const TrainingConfig& config) const {
  std::vector<std::vector<Setting>> points = {{}};
  for (const Option& option : options_) {
    if (option.values.empty() || !is_followed(row, option.option->facts.name)) continue;
    std::vector<std::vector<Setting>> longer;
    for (const std::vector<Setting>& point : points) {
      for (const Setting& value : option.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  std::vector<std::vector<Setting>> used;
  for (std::vector<Setting>& point : points) {
    const TrainingConfig there = at_point(point, config);
    for (const Option& option : options_) {
      if (does_something(option, row, there)) continue;
      std::erase_if(
          point, [&](const Setting& setting) { return setting.name == option.option->facts.name; });
    }
    const bool is_new =
        std::none_of(used.begin(), used.end(), [&](const std::vector<Setting>& other) {
          return std::equal(point.begin(), point.end(), other.begin(), other.end(),
                            [](const Setting& a, const Setting& b) {
                              return a.name == b.name && a.value == b.value;
                            });
        });
    if (is_new) used.push_back(std::move(point));
  }
  return used;
}

bool OptionGrid::does_something(const Option& option, const TrainingMethodRow& row,
                                const TrainingConfig& there) {
  return is_followed(row, option.option->facts.name) &&
         !unused_by<TrainingConfig>(*option.option, training_options(), there);
}

void OptionGrid::use(const TrainingMethodRow& row, const TrainingConfig& there,
                     bool takes_one_step) {
  for (Option& option : options_) {
    if (takes_one_step && option.option->facts.name == "steps") continue;
    option.is_used = option.is_used || does_something(option, row, there);
  }
}

void OptionGrid::require_used(const std::string& left_out) const {
  for (const Option& option : options_) {
    if (option.is_used) continue;
    const OptionFacts& facts = option.option->facts;
    std::vector<std::string_view> users;
    for (const TrainingMethodRow& row : training_methods())
      if (is_followed(row, facts.name)) users.push_back(row.name);
    refuse(fmt::format(
        "{} has no effect on the methods that are compared (used by {}{}); leave it out{}",
        facts.name, fmt::join(users, ", "),
        facts.depends_on.empty() ? "" : fmt::format(", depending on {}", facts.depends_on),
        left_out));
  }
}

TrainingConfig at_point(std::span<const Setting> point, TrainingConfig config) {
  apply_settings<TrainingConfig>(kWhere, grid_options(), point, config);
  return config;
}

}  // namespace equinoise
