// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// The numbers that were `given` for groups by name, in the order of `names`; nothing for a group
/// without one. Errors, naming `where` and `what`: kUsage for a name that is not theirs, and for a
/// number that is not finite and > 0.
std::vector<std::optional<double>> numbers_of_groups(std::string_view where, std::string_view what,
                                                     const std::map<std::string, double>& given,
                                                     const std::vector<std::string>& names);

}  // namespace equinoise
