// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/partitions.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise {

void Partitions::add(std::string_view where, const Event& event) {
  if (event.kind() == Event::Kind::kRowsOfUnit) return;
  for (const Event& child : event.events()) add(where, child);
  if (event.kind() != Event::Kind::kParallel) return;
  std::vector<std::string> names = event.group_names();
  std::ranges::sort(names);
  const auto [known, is_new] = groups_.try_emplace(event.partition(), names);
  if (is_new || known->second == names) return;
  throw Error(ErrorKind::kUsage, where,
              "the partition \"{}\" is divided into {} and into {}; name all groups each time "
              "(a group that gets nothing has an empty \"composed\"), or give the other "
              "division a partition of its own",
              event.partition(), fmt::join(known->second, ", "), fmt::join(names, ", "));
}

}  // namespace equinoise
