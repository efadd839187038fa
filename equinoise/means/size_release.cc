// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/size_release.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/schema/public_sizes.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/units.h"
#include "equinoise/privacy/mechanisms/discrete_laplace.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "means.size_release";

using Names = std::set<std::string>;

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

const ColumnSchema& column_of(const Schema& schema, const std::string& name) {
  const GroupAttribute* attribute = schema.find_group_attribute(name);
  return schema.column(attribute != nullptr ? attribute->column : name);
}

bool share_a_column(const Schema& schema, const Names& a, const Names& b) {
  return std::ranges::any_of(a, [&](const std::string& name) {
    return std::ranges::any_of(b, [&](const std::string& other) {
      return &column_of(schema, name) == &column_of(schema, other);
    });
  });
}

/// The declared grouping of larger groups, whose sizes those of `own` must add up to.
std::optional<Names> find_larger_groups(const Schema& schema, const Names& own) {
  std::set<Names> declared;
  for (const auto& [group, size] : schema.public_group_sizes) {
    Names names;
    for (const auto& [name, value] : group) names.insert(name);
    declared.insert(names);
  }
  std::optional<Names> larger;
  for (const Names& names : declared) {
    if (names == own || !share_a_column(schema, names, own)) continue;
    if (!larger && std::includes(own.begin(), own.end(), names.begin(), names.end())) {
      larger = names;
      continue;
    }
    refuse(
        "the schema declares sizes by {}{}, and sizes by {} with noise might contradict them; "
        "leave {} out, or use groups whose sizes are declared",
        fmt::join(larger.value_or(names), ","),
        larger ? fmt::format(" and by {}", fmt::join(names, ",")) : "", fmt::join(own, ","),
        larger ? "one of them" : "them");
  }
  return larger;
}

bool is_part_of(const GroupLabel& group, const GroupLabel& larger) {
  return std::ranges::all_of(larger, [&](const auto& value) { return contains(group, value); });
}

/// Returns whether a record can be in a group by `larger` but in none by `names`: a column that
/// only `names` has may drop it.
bool may_drop(const Schema& schema, const Names& names, const Names& larger) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return column_of(schema, name).may_drop() && !share_a_column(schema, {name}, larger);
  });
}

/// Takes the groups of known size out of a sum.
void settle_known(const Grouping& grouping, SizeQuestion::Sum& sum) {
  std::erase_if(sum.groups, [&](size_t k) {
    if (!grouping.public_sizes[k]) return false;
    sum.total = std::max<int64_t>(0, sum.total - *grouping.public_sizes[k]);
    return true;
  });
}

/// `total` divided in proportion to weights > 0, each part at least 1. Pre: total >= the number of
/// weights.
std::vector<int64_t> divide(int64_t total, const std::vector<int64_t>& weights) {
  const double left = static_cast<double>(total) - static_cast<double>(weights.size());
  double sum = 0;
  for (const int64_t weight : weights) sum += static_cast<double>(weight);
  std::vector<int64_t> parts;
  std::vector<double> remainders;
  int64_t given = 0;
  for (const int64_t weight : weights) {
    const double part = left * (static_cast<double>(weight) / sum);
    parts.push_back(1 + static_cast<int64_t>(std::floor(part)));
    remainders.push_back(part - std::floor(part));
    given += parts.back();
  }
  std::vector<size_t> order = numbers_below(weights.size());
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  // Rounding can leave one more than there are parts, or give one too many.
  for (size_t i = 0; given < total; i = (i + 1) % order.size(), ++given) ++parts[order[i]];
  for (size_t i = 0; given > total; i = (i + 1) % order.size()) {
    int64_t& part = parts[order[order.size() - 1 - i]];
    if (part == 1) continue;
    --part;
    --given;
  }
  return parts;
}

}  // namespace

SizeQuestion ask_sizes(const Schema& schema, const std::vector<std::string>& columns) {
  SizeQuestion question;
  question.grouping = list_groups(schema, columns);
  Grouping& grouping = question.grouping;
  const PublicSizes public_sizes(schema, true);
  for (size_t k = 0; k < grouping.groups.size(); ++k) {
    if (grouping.public_sizes[k] || public_sizes.can_hold_somebody(grouping.groups[k])) continue;
    grouping.public_sizes[k] = 0;
    question.impossible.push_back(k);
  }
  if (std::ranges::all_of(grouping.public_sizes, [](const auto& size) { return size.has_value(); }))
    refuse("the sizes of all groups by {} are declared, or follow from those that are",
           fmt::join(columns, ","));
  const Names own(columns.begin(), columns.end());
  // Sizes by other columns may count other rows of a unit.
  const std::optional<Names> larger =
      schema.has_unit_column() ? std::nullopt : find_larger_groups(schema, own);
  std::vector<size_t> others = numbers_below(grouping.groups.size());
  int64_t left = schema.num_records;
  if (larger) {
    const bool is_exact = !may_drop(schema, own, *larger);
    const Grouping wholes = list_groups(schema, {larger->begin(), larger->end()});
    for (size_t w = 0; w < wholes.groups.size(); ++w) {
      if (!wholes.public_sizes[w]) continue;
      SizeQuestion::Sum sum{{}, *wholes.public_sizes[w], is_exact};
      std::erase_if(others, [&](size_t k) {
        if (!is_part_of(grouping.groups[k], wholes.groups[w])) return false;
        sum.groups.push_back(k);
        return true;
      });
      left -= sum.total;
      question.sums.push_back(std::move(sum));
    }
  }
  question.sums.push_back(
      {std::move(others), std::max<int64_t>(0, left), !may_drop(schema, own, {})});
  bool is_any_unknown = false;
  for (SizeQuestion::Sum& sum : question.sums) {
    settle_known(grouping, sum);
    if (sum.groups.empty() || sum.total == 0) continue;
    is_any_unknown = true;
    if (sum.total >= static_cast<int64_t>(sum.groups.size())) continue;
    refuse(
        "{} groups have {} {} together, so that some would have none; group by "
        "fewer columns, or merge groups by a group attribute of the schema",
        sum.groups.size(), sum.total, schema.units_name());
  }
  if (!is_any_unknown)
    refuse(
        "the declared sizes make up the table, so that no other group by {} has "
        "anybody",
        fmt::join(columns, ","));
  std::erase_if(question.sums, [](const SizeQuestion::Sum& sum) { return sum.groups.empty(); });
  return question;
}

std::vector<int64_t> count_groups(const Dataset& dataset, const Schema& schema,
                                  const Grouping& grouping) {
  const std::vector<uint8_t> has_none = without_group(dataset, schema, grouping.columns);
  std::vector<int64_t> counts(grouping.groups.size(), 0);
  if (dataset.num_counted_units) {
    throw Error(ErrorKind::kInput, kWhere,
                "sizes of groups are in {}, and counted rows do not say whose they "
                "are; give a file of all records",
                schema.units_name());
  }
  if (dataset.unit_begin.empty()) {
    for (size_t i = 0; i < has_none.size(); ++i) {
      if (has_none[i] == 0) counts[index_of(grouping.group_of[i])] += dataset.count_of(i);
    }
    return counts;
  }
  std::vector<uint8_t> has_say;
  for (const uint8_t none : has_none) has_say.push_back(none == 0 ? 1 : 0);
  std::vector<GroupId> group_of = grouping.group_of;
  settle_groups(dataset.unit_begin, group_of, has_say);
  for (size_t unit = 0; unit + 1 < dataset.unit_begin.size(); ++unit) {
    const auto begin = has_say.begin() + dataset.unit_begin[unit];
    const auto end = has_say.begin() + dataset.unit_begin[unit + 1];
    if (std::find(begin, end, 1) != end) ++counts[index_of(group_of[dataset.unit_begin[unit]])];
  }
  return counts;
}

std::vector<int64_t> fit_sizes(const SizeQuestion& question, std::span<const int64_t> noisy,
                               double decay) {
  const Grouping& grouping = question.grouping;
  std::vector<int64_t> sizes;
  for (const std::optional<int64_t>& size : grouping.public_sizes)
    sizes.push_back(size.value_or(0));
  const auto hidden = std::max<int64_t>(1, std::llround(1 / decay));
  for (const SizeQuestion::Sum& sum : question.sums) {
    if (sum.total == 0) continue;
    std::vector<int64_t> told;
    double all = 0;
    for (const size_t k : sum.groups) {
      told.push_back(std::clamp(noisy[k], std::min(hidden, sum.total), sum.total));
      all += static_cast<double>(told.back());
    }
    if (sum.is_exact || all > static_cast<double>(sum.total)) told = divide(sum.total, told);
    for (size_t i = 0; i < told.size(); ++i) sizes[sum.groups[i]] = told[i];
  }
  return sizes;
}

std::vector<int64_t> release_sizes(const SizeQuestion& question, std::vector<int64_t> counts,
                                   Permit permit, RandomSource& source) {
  const double decay = permit.event().decay();
  add_discrete_laplace_noise(std::move(permit), {1, Norm::kL1, Relation::kZeroOut}, counts, source);
  return fit_sizes(question, counts, decay);
}

std::string sizes_to_toml(const Schema& schema, const SizeQuestion& question,
                          std::span<const int64_t> sizes) {
  std::vector<size_t> groups = question.impossible;
  for (const SizeQuestion::Sum& sum : question.sums) append(groups, sum.groups);
  std::ranges::sort(groups);
  std::string text;
  for (const size_t k : groups) {
    std::string pairs;
    for (const auto& [name, value] : question.grouping.groups[k])
      pairs +=
          fmt::format("{}{} = {}", pairs.empty() ? "" : ", ", toml_key(name), toml_string(value));
    text += fmt::format("\n[[public.groups]]\ngroup = {{ {} }}\n{} = {}\nexact = false\n", pairs,
                        schema.size_key(), sizes[k]);
  }
  return text;
}

}  // namespace equinoise
