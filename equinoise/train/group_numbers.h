// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"

namespace equinoise {

/// The numbers `given` by group name, in the order of `names`; empty for a group without one.
/// Errors, naming `where` and `what`: kUsage for a name that is not in `names`.
inline std::vector<std::optional<double>> numbers_of_groups(
    std::string_view where, std::string_view what, const std::map<std::string, double>& given,
    const std::vector<std::string>& names) {
  std::vector<std::optional<double>> values(names.size());
  for (const auto& [name, value] : given) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      const std::string nearest = nearest_name(name, names);
      throw Error(ErrorKind::kUsage, where, "{} \"{}\": there is no such group; {}", what, name,
                  nearest.empty() ? fmt::format("the groups are {}", fmt::join(names, "; "))
                                  : fmt::format("did you mean \"{}\"?", nearest));
    }
    values[static_cast<size_t>(found - names.begin())] = value;
  }
  return values;
}

}  // namespace equinoise
