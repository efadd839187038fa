// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/wrong_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "equinoise/groups/grouping.h"
#include "equinoise/means/size_release.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

/// Whether records can be grouped by these columns and group attributes.
bool can_group_by(const std::vector<std::string>& names, const Schema& schema) {
  size_t num_groups = 1;
  for (const std::string& name : names) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    const auto num_categories = attribute != nullptr ? attribute->categories().size()
                                                     : schema.column(name).categories().size();
    if (num_groups > kMaxGroups / num_categories) return false;
    num_groups *= num_categories;
  }
  return true;
}

}  // namespace

std::vector<std::string> wrong_sizes(const Dataset& dataset, const Schema& schema) {
  constexpr size_t kMaxNamed = 5;
  std::map<std::vector<std::string>, std::map<GroupLabel, int64_t>> declared;
  for (const auto& [group, size] : schema.public_group_sizes) {
    if (schema.inexact_group_sizes.contains(group)) continue;
    std::vector<std::string> columns;
    for (const auto& [column, value] : group) columns.push_back(column);
    declared[columns].emplace(group, size);
  }
  std::vector<std::string> sentences;
  for (const auto& [columns, sizes] : declared) {
    if (!can_group_by(columns, schema)) continue;
    const Grouping grouping = group_by(dataset, schema, columns);
    const std::vector<int64_t> counts = count_groups(dataset, schema, grouping);
    std::vector<std::string> wrong;
    for (size_t k = 0; k < counts.size(); ++k) {
      const auto size = sizes.find(grouping.groups[k]);
      if (size == sizes.end() || size->second == counts[k]) continue;
      wrong.push_back(fmt::format("{} has {} {}, declared are {}", group_name(grouping.groups[k]),
                                  format_count(counts[k]), schema.units_name(),
                                  format_count(size->second)));
    }
    if (wrong.empty()) continue;
    const size_t num_more = wrong.size() - std::min(wrong.size(), kMaxNamed);
    wrong.resize(wrong.size() - num_more);
    sentences.push_back(
        fmt::format("groups by {}: {}{}; correct the sizes in [[public.groups]] if the true ones "
                    "are public, take "
                    "the entries out if not, or write exact = false in the entry of each that was "
                    "released with "
                    "noise or is an estimate",
                    fmt::join(columns, ","), fmt::join(wrong, "; "),
                    num_more == 0 ? "" : fmt::format("; and {} more", num_more)));
  }
  return sentences;
}

}  // namespace equinoise
