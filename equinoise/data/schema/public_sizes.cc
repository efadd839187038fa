// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/public_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

constexpr size_t kMaxGroupCells = 65'536;

std::vector<std::string> names_of(const GroupLabel& group) {
  std::vector<std::string> names;
  for (const auto& [name, value] : group) names.push_back(name);
  return names;
}

/// "sex = Female, race = White"
std::string text_of(const GroupLabel& group) {
  std::string text;
  for (const auto& [name, value] : group)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::vector<uint32_t> intersection(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<uint32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

}  // namespace

PublicSizes::PublicSizes(const Schema& schema, bool knows_columns) : schema_(schema) {
  for (const auto& [group, size] : schema.public_group_sizes) totals_[names_of(group)] += size;
  if (totals_.empty() && !knows_columns) return;
  for (const ColumnSchema& column : schema.columns)
    categories_.emplace(column.name, column.categories());
  for (const GroupAttribute& attribute : schema.group_attributes) {
    categories_.emplace(attribute.name, attribute.categories());
    std::vector<double>& cuts = cuts_[attribute.column];
    append(cuts, attribute.cuts);
  }
  for (auto& [column, cuts] : cuts_) {
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
}

const std::string& PublicSizes::column_of(const std::string& name) const {
  const GroupAttribute* attribute = schema_.find_group_attribute(name);
  return attribute != nullptr ? attribute->column : name;
}

const std::vector<std::string>& PublicSizes::categories_of(const std::string& name) const {
  return categories_.at(name);
}

PublicSizes::PointMasses PublicSizes::point_masses_of(const std::string& name,
                                                      size_t category) const {
  const GroupAttribute* attribute = schema_.find_group_attribute(name);
  if (attribute == nullptr) return {static_cast<uint32_t>(category)};
  PointMasses point_masses;
  if (!attribute->cuts.empty()) {
    const std::vector<double>& all = cuts_.at(attribute->column);
    const auto place = [&](size_t cut) {
      const auto found = std::ranges::lower_bound(all, attribute->cuts[cut]);
      return static_cast<uint32_t>(found - all.begin()) + 1;
    };
    const uint32_t begin = category == 0 ? 0 : place(category - 1);
    const bool is_last = category == attribute->cuts.size();
    const uint32_t end = is_last ? static_cast<uint32_t>(all.size()) + 1 : place(category);
    for (uint32_t point_mass = begin; point_mass < end; ++point_mass)
      point_masses.push_back(point_mass);
    return point_masses;
  }
  const std::vector<std::string>& values = attribute->values;
  const std::vector<std::string>& of_column = categories_of(attribute->column);
  for (uint32_t point_mass = 0; point_mass < of_column.size(); ++point_mass) {
    const auto found = std::ranges::find(values, of_column[point_mass]);
    if (static_cast<size_t>(found - values.begin()) == category) point_masses.push_back(point_mass);
  }
  return point_masses;
}

PublicSizes::Cell PublicSizes::cell_of(const GroupLabel& group) const {
  Cell cell;
  for (const auto& [name, value] : group) {
    const std::vector<std::string>& categories = categories_of(name);
    const auto found = std::ranges::find(categories, value);
    PointMasses point_masses =
        point_masses_of(name, static_cast<size_t>(found - categories.begin()));
    const auto [known, is_new] = cell.emplace(column_of(name), point_masses);
    if (!is_new) known->second = intersection(known->second, point_masses);
  }
  return cell;
}

std::vector<size_t> PublicSizes::categories_within(const std::string& name,
                                                   const Cell& cell) const {
  const auto within = cell.find(column_of(name));
  const bool is_attribute = schema_.find_group_attribute(name) != nullptr;
  if (within != cell.end() && !is_attribute) return {within->second.begin(), within->second.end()};
  std::vector<size_t> categories;
  for (size_t category = 0; category < categories_of(name).size(); ++category) {
    if (within == cell.end() ||
        !intersection(point_masses_of(name, category), within->second).empty())
      categories.push_back(category);
  }
  return categories;
}

std::optional<PublicSizes::Sum> PublicSizes::sum_by(const Names& names,
                                                    const GroupLabel& group) const {
  const Cell whole = cell_of(group);
  std::set<std::string> columns;
  for (const std::string& name : names) columns.insert(column_of(name));
  for (const auto& [column, point_masses] : whole) {
    if (!columns.contains(column)) return std::nullopt;
  }
  const bool is_whole_table = totals_.at(names) == schema_.num_records;
  Sum sum;
  sum.is_exact = is_whole_table || std::ranges::none_of(columns, [&](const auto& column) {
                   return !whole.contains(column) && schema_.column(column).may_drop();
                 });
  // All groups by these names that share possible records with the whole, built one name after
  // another.
  std::vector<GroupLabel> parts = {{}};
  for (const std::string& name : names) {
    const std::vector<size_t> possible = categories_within(name, whole);
    if (parts.size() * possible.size() > kMaxGroupCells) return std::nullopt;
    std::vector<GroupLabel> refined;
    for (const GroupLabel& part : parts) {
      for (const size_t category : possible) {
        refined.push_back(part);
        refined.back().emplace_back(name, categories_of(name)[category]);
      }
    }
    parts = std::move(refined);
  }
  bool is_any_declared = false;
  for (const GroupLabel& part : parts) {
    const auto declared = schema_.public_group_sizes.find(part);
    const bool is_declared = declared != schema_.public_group_sizes.end();
    const Cell cell = cell_of(part);
    bool is_possible = true;
    bool is_within = true;
    for (const auto& [column, point_masses] : cell) {
      is_possible = is_possible && !point_masses.empty();
      const auto of_whole = whole.find(column);
      if (of_whole == whole.end()) continue;
      const size_t num_common = intersection(point_masses, of_whole->second).size();
      is_possible = is_possible && num_common > 0;
      is_within = is_within && num_common == point_masses.size();
    }
    if (!is_possible) continue;
    if (!is_declared) {
      sum.is_exact = sum.is_exact && is_whole_table;
    } else if (is_within) {
      is_any_declared = true;
      sum.declared += declared->second;
    } else if (declared->second > 0) {
      sum.is_exact = false;
    }
  }
  if (!is_any_declared) return std::nullopt;
  return sum;
}

bool PublicSizes::can_hold_somebody(const GroupLabel& group) const {
  const Cell cell = cell_of(group);
  return std::ranges::none_of(cell, [](const auto& entry) { return entry.second.empty(); });
}

std::optional<int64_t> PublicSizes::of(GroupLabel group) const {
  std::ranges::sort(group);
  const auto found = schema_.public_group_sizes.find(group);
  if (found != schema_.public_group_sizes.end()) return found->second;
  if (schema_.has_unit_column()) return std::nullopt;
  for (const auto& [names, total] : totals_) {
    const std::optional<Sum> sum = sum_by(names, group);
    if (sum && sum->is_exact) return sum->declared;
  }
  return std::nullopt;
}

std::string PublicSizes::problem_of_size(const GroupLabel& group, const Names& names) const {
  const int64_t size = schema_.public_group_sizes.at(group);
  const std::optional<Sum> sum = sum_by(names, group);
  if (!sum || (sum->is_exact ? sum->declared == size : sum->declared <= size)) return "";
  return fmt::format(
      "the group {} is declared with {} records, but its subgroups by {} have {} together; correct "
      "one of them{}",
      text_of(group), size, fmt::join(names, ", "), sum->declared,
      sum->is_exact ? ", or leave this one out: its size follows from theirs" : "");
}

std::string PublicSizes::problem_of_sums(const GroupLabel& common, const Names& a,
                                         const Names& b) const {
  const std::optional<Sum> of_a = sum_by(a, common);
  const std::optional<Sum> of_b = sum_by(b, common);
  if (!of_a || !of_b || !of_a->is_exact || !of_b->is_exact || of_a->declared == of_b->declared)
    return "";
  return fmt::format(
      "the groups by {} have {} records of {} together, but those by {} have {}; correct one of "
      "them",
      fmt::join(a, ", "), of_a->declared, text_of(common), fmt::join(b, ", "), of_b->declared);
}

std::optional<PublicSizes::Contradiction> PublicSizes::find_contradiction() const {
  if (schema_.has_unit_column()) return std::nullopt;
  std::set<std::tuple<GroupLabel, Names, Names>> compared;
  for (const auto& [group, size] : schema_.public_group_sizes) {
    const Names own = names_of(group);
    for (const auto& [names, total] : totals_) {
      if (names == own) continue;
      std::string problem = problem_of_size(group, names);
      // The part of the group by the names that both have, for which both sums must agree.
      GroupLabel common;
      for (const auto& part : group) {
        if (contains(names, part.first)) common.push_back(part);
      }
      const bool is_marginal =
          !common.empty() && common.size() < own.size() && common.size() < names.size();
      if (problem.empty() && is_marginal && compared.emplace(common, own, names).second)
        problem = problem_of_sums(common, own, names);
      if (!problem.empty()) return Contradiction{group, std::move(problem)};
    }
  }
  return std::nullopt;
}

}  // namespace equinoise
