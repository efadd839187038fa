// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/overlapping_groups.h"

#include <algorithm>
#include <map>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/train/group_numbers.h"
#include "equinoise/train/methods/options.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.overlapping";

/// The group of `grouping` that holds the intersection.
size_t group_of(const Grouping& grouping, const GroupLabel& intersection) {
  for (size_t k = 0; k < grouping.groups.size(); ++k) {
    const GroupLabel& group = grouping.groups[k];
    if (std::ranges::all_of(group,
                            [&](const auto& value) { return contains(intersection, value); }))
      return k;
  }
  throw Error(ErrorKind::kRuntime, kWhere, "an intersection is in no group");
}

/// The values given for groups of all groupings, (groupings) of (groups).
std::vector<std::vector<std::optional<double>>> by_grouping(
    std::string_view what, const std::map<std::string, double>& given,
    const std::vector<Grouping>& groupings) {
  std::vector<std::string> all;
  for (const Grouping& grouping : groupings)
    for (const std::string& name : group_names(grouping)) all.push_back(name);
  for (const auto& [name, number] : given) {
    if (std::ranges::count(all, name) > 1) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "{} \"{}\": groups of several --groups have this name; rename one of "
                  "them with a group attribute of the schema",
                  what, name);
    }
  }
  const std::vector<std::optional<double>> numbers = numbers_of_groups(kWhere, what, given, all);
  std::vector<std::vector<std::optional<double>>> result;
  auto next = numbers.begin();
  for (const Grouping& grouping : groupings) {
    result.emplace_back(next, next + std::ssize(grouping.groups));
    next += std::ssize(grouping.groups);
  }
  return result;
}

}  // namespace

std::vector<std::string> columns_of_intersections(const std::vector<Grouping>& groupings) {
  std::vector<std::string> columns;
  for (const Grouping& grouping : groupings) {
    for (const std::string& column : grouping.columns)
      if (!contains(columns, column)) columns.push_back(column);
  }
  return columns;
}

TrainingConfig at_intersections(TrainingConfig config, const std::vector<Grouping>& groupings,
                                const Grouping& intersections) {
  auto& costs = config.own.of<GroupCostOptions>();
  const auto weights = by_grouping("group_weight", costs.weights, groupings);
  const auto clips = by_grouping("group_clip", costs.clips, groupings);
  const auto epsilons = by_grouping("group_epsilon", costs.epsilons, groupings);
  const bool weighs = !costs.weights.empty();
  costs = {};
  const auto keep_least = [](std::map<std::string, double>& kept, const std::string& name,
                             const std::optional<double>& number) {
    if (!number) return;
    const auto [found, is_new] = kept.try_emplace(name, *number);
    if (!is_new) found->second = std::min(found->second, *number);
  };
  const std::vector<std::string> names = group_names(intersections);
  for (size_t i = 0; i < names.size(); ++i) {
    double weight = 0;
    for (size_t g = 0; g < groupings.size(); ++g) {
      const size_t k = group_of(groupings[g], intersections.groups[i]);
      weight += weights[g][k].value_or(1);
      // A group without a clip has that of the run.
      const bool clips_some = std::ranges::any_of(clips, [](const auto& of_grouping) {
        return std::ranges::any_of(of_grouping, [](const auto& clip) { return clip.has_value(); });
      });
      if (clips_some) keep_least(costs.clips, names[i], clips[g][k].value_or(config.max_grad_norm));
      keep_least(costs.epsilons, names[i], epsilons[g][k]);
    }
    if (weighs) costs.weights[names[i]] = weight / static_cast<double>(groupings.size());
  }
  return config;
}

OverlappingGroups overlapping_groups_of(const std::vector<Grouping>& groupings,
                                        const Grouping& intersections, int64_t num_records) {
  OverlappingGroups overlapping;
  overlapping.groups_of_cell.resize(intersections.groups.size());
  for (const Grouping& grouping : groupings) {
    const size_t first = overlapping.groups.names.size();
    const PublicGroups groups = public_groups_of(grouping, num_records);
    for (size_t k = 0; k < groups.names.size(); ++k) {
      overlapping.groups.names.push_back(groups.names[k]);
      overlapping.groups.shares.push_back(groups.shares[k]);
    }
    for (size_t i = 0; i < intersections.groups.size(); ++i) {
      overlapping.groups_of_cell[i].push_back(first + group_of(grouping, intersections.groups[i]));
    }
  }
  return overlapping;
}

std::vector<size_t> intersections_of(const Grouping& grouping, size_t group,
                                     const Grouping& intersections) {
  std::vector<size_t> inside;
  for (size_t i = 0; i < intersections.groups.size(); ++i)
    if (group_of(grouping, intersections.groups[i]) == group) inside.push_back(i);
  return inside;
}

}  // namespace equinoise
