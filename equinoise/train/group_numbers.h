// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// The numbers `given` by group name, in the order of `names`; empty for a group without one.
/// Errors, naming `where` and `what`: kUsage for a name that is not in `names`.
std::vector<std::optional<double>> numbers_of_groups(std::string_view where, std::string_view what,
                                                     const std::map<std::string, double>& given,
                                                     const std::vector<std::string>& names);

}  // namespace equinoise
