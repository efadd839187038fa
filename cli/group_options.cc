// SPDX-License-Identifier: Apache-2.0
#include "cli/group_options.h"

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"

namespace equinoise::cli {

namespace {

constexpr std::pair<const char*, SmallGroups> kPolicies[] = {
    {"keep", SmallGroups::kKeep}, {"merge", SmallGroups::kMerge}, {"refuse", SmallGroups::kRefuse}};

}  // namespace

std::vector<std::vector<std::string>> GroupOptions::groupings() const {
  std::vector<std::vector<std::string>> result;
  result.reserve(names.size());
  for (const std::string& text : names) result.push_back(split_names(text));
  return result;
}

GroupFloor GroupOptions::floor() const {
  GroupFloor result{min_size, SmallGroups::kKeep};
  for (const auto& [name, policy] : kPolicies) {
    if (small == name) result.policy = policy;
  }
  if ((min_size > 0) != (result.policy != SmallGroups::kKeep)) {
    throw Error(ErrorKind::kUsage, "cli.groups",
                "--min-group-size N needs --small-groups merge or refuse, and the other way round");
  }
  return result;
}

void add_group_options(CLI::App& command, GroupOptions& options) {
  command.add_option("--groups", options.names,
                     "Columns, or [groups.NAME] of the schema, whose intersections are the groups, "
                     "e.g. sex,race; repeat the option for further groupings");
  add_group_floor_options(command, options);
}

void add_group_floor_options(CLI::App& command, GroupOptions& options) {
  command
      .add_option("--min-group-size", options.min_size,
                  "Public size below which a group counts as small")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  std::vector<std::string> policies;
  for (const auto& [name, policy] : kPolicies) policies.emplace_back(name);
  command
      .add_option("--small-groups", options.small,
                  "Treatment of small groups: keep, merge into one, or refuse")
      ->check(CLI::IsMember(policies))
      ->capture_default_str();
}

}  // namespace equinoise::cli
