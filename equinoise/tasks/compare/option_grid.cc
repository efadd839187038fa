// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/option_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/base/quotes.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.compare";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

bool is_same_point(const std::vector<Setting>& point, const std::vector<Setting>& other) {
  return std::equal(
      point.begin(), point.end(), other.begin(), other.end(),
      [](const Setting& a, const Setting& b) { return a.name == b.name && a.value == b.value; });
}

}  // namespace

GridOption parse_grid_option(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    refuse("--grid takes OPTION=VALUE,VALUE..., e.g. max_grad_norm=0.5,1, got {}", text);
  }
  std::string name = text.substr(0, equals);
  // Flags have hyphens, run files underscores.
  std::ranges::replace(name, '-', '_');
  return {std::move(name), split_names(text.substr(equals + 1))};
}

double read_grid_number(const OptionFacts& facts, const std::string& text) {
  const std::optional<double> number = parse_number(text);
  if (!number) refuse("--grid {}: {} is no number", facts.name, text);
  check_value(kWhere, facts, *number);
  return *number;
}

int64_t read_grid_count(const OptionFacts& facts, const std::string& text) {
  const double number = read_grid_number(facts, text);
  if (number != std::floor(number) || number < 0 || number > 0x1p53)
    refuse("--grid {}: {} is no whole number", facts.name, text);
  return static_cast<int64_t>(number);
}

void refuse_grid_of_lists(const OptionFacts& facts) {
  refuse("--grid {}: each of its values is a list, which a grid cannot hold", facts.name);
}

size_t OptionGrid::find(const std::string& name) const {
  std::vector<std::string> names;
  for (size_t place = 0; place < scope_.options.size(); ++place) {
    if (scope_.options[place].name == name) return place;
    names.emplace_back(scope_.options[place].name);
  }
  if (std::ranges::count(scope_.shared, name) > 0)
    refuse(
        "--grid {} is not possible: all methods are compared at the same "
        "{}{}",
        name, name, name == "epsilon" ? "; list several in --epsilon" : "");
  const std::string nearest = nearest_name(name, names);
  refuse("--grid {}: no method has such an option{}", name,
         nearest.empty() ? "; equinoise methods NAME lists them"
                         : fmt::format("; did you mean {}?", nearest));
}

OptionGrid::OptionGrid(GridScope scope, std::span<const GridOption> grid,
                       std::span<const std::string> given)
    : scope_(std::move(scope)) {
  for (const std::string& name : given) options_.push_back({find(name), {}});
  for (const GridOption& asked : grid) {
    Option& option = options_.emplace_back(Option{find(asked.name), {}});
    if (asked.values.empty()) refuse("--grid {} has no values", asked.name);
    for (const std::string& text : asked.values) {
      Setting value{asked.name, scope_.read(option.place, text)};
      if (contains(option.values, value.value, &Setting::value))
        refuse("--grid {}: {} is repeated", asked.name, text);
      option.values.push_back(std::move(value));
    }
  }
  for (size_t i = 0; i < options_.size(); ++i) {
    for (size_t j = 0; j < options_.size(); ++j) {
      const OptionFacts& one = facts_of(options_[i]);
      const OptionFacts& other = facts_of(options_[j]);
      if (i < j && one.name == other.name) refuse("{} is given twice", one.name);
      if (contains(one.excludes, other.name))
        refuse("{} and {} exclude each other", one.name, other.name);
    }
  }
}

std::vector<std::vector<Setting>> OptionGrid::points_of(std::string_view method) const {
  std::vector<std::vector<Setting>> points = {{}};
  for (const Option& option : options_) {
    if (option.values.empty() || !scope_.follows(method, facts_of(option).name)) continue;
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
    const std::vector<Setting> whole = point;
    for (const Option& option : options_) {
      if (does_something(option, method, whole)) continue;
      std::erase_if(point,
                    [&](const Setting& setting) { return setting.name == facts_of(option).name; });
    }
    const bool is_new =
        std::ranges::none_of(used, [&](const auto& other) { return is_same_point(point, other); });
    if (is_new) used.push_back(std::move(point));
  }
  return used;
}

bool OptionGrid::does_something(const Option& option, std::string_view method,
                                std::span<const Setting> point) const {
  return scope_.follows(method, facts_of(option).name) &&
         scope_.does_something(method, option.place, point);
}

void OptionGrid::use(std::string_view method, std::span<const Setting> point,
                     std::string_view idle) {
  for (Option& option : options_) {
    if (facts_of(option).name == idle) continue;
    option.is_used = option.is_used || does_something(option, method, point);
  }
}

void OptionGrid::require_used(const std::string& left_out) const {
  for (const Option& option : options_) {
    if (option.is_used) continue;
    const OptionFacts& facts = facts_of(option);
    std::vector<std::string_view> users;
    for (const CompareMethod& method : scope_.methods)
      if (scope_.follows(method.name, facts.name)) users.push_back(method.name);
    refuse("{} has no effect on the methods that are compared (used by {}{}); leave it out{}",
           facts.name, fmt::join(users, ", "),
           facts.depends_on.empty() ? "" : fmt::format(", depending on {}", facts.depends_on),
           left_out);
  }
}

}  // namespace equinoise
