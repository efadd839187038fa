// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/membership.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";

}  // namespace

Membership::Membership(size_t num_groups, std::vector<std::vector<size_t>> patterns)
    : num_groups_(num_groups), patterns_(std::move(patterns)) {
  if (num_groups_ == 0) throw Error(ErrorKind::kUsage, kWhere, "there is no group");
  for (std::vector<size_t> pattern : patterns_) {
    std::sort(pattern.begin(), pattern.end());
    const bool repeats = std::adjacent_find(pattern.begin(), pattern.end()) != pattern.end();
    if (repeats || (!pattern.empty() && pattern.back() >= num_groups_)) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("a pattern must name groups from 0 to {}, each at most once, got {}",
                              num_groups_ - 1, fmt::join(pattern, ", ")));
    }
  }
}

Membership Membership::disjoint(size_t num_groups) {
  std::vector<std::vector<size_t>> patterns;
  for (size_t k = 0; k < num_groups; ++k) patterns.push_back({k});
  return {num_groups, std::move(patterns)};
}

Membership Membership::any(size_t num_groups) {
  std::vector<size_t> all(num_groups);
  std::iota(all.begin(), all.end(), size_t{0});
  return {num_groups, {std::move(all)}};
}

Membership Membership::patterns(size_t num_groups, std::vector<std::vector<size_t>> patterns) {
  std::vector<bool> is_known(num_groups, false);
  for (const std::vector<size_t>& pattern : patterns) {
    for (const size_t group : pattern)
      if (group < num_groups) is_known[group] = true;
  }
  if (const auto missing = std::find(is_known.begin(), is_known.end(), false);
      missing != is_known.end()) {
    throw Error(
        ErrorKind::kUsage, kWhere,
        fmt::format("group {} is in no pattern, so the cost to its members would not be counted",
                    missing - is_known.begin()));
  }
  return {num_groups, std::move(patterns)};
}

size_t Membership::most_groups() const {
  size_t most = 0;
  for (const std::vector<size_t>& pattern : patterns_) most = std::max(most, pattern.size());
  return most;
}

double Membership::worst_cost(std::span<const double> group_costs) const {
  if (group_costs.size() != num_groups_) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{} costs of {} groups", group_costs.size(), num_groups_));
  }
  for (const double cost : group_costs) check_non_negative(kWhere, "the cost of a group", cost);
  double worst = 0;
  for (const std::vector<size_t>& pattern : patterns_) {
    double sum = 0;
    for (const size_t group : pattern) sum += group_costs[group];
    worst = std::max(worst, sum);
  }
  return worst;
}

}  // namespace equinoise
