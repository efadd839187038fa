// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace equinoise {

/// Why rows have no column of that name, among those of these names: the schema ignores it, or
/// there is none, with the nearest name.
std::string unknown_column(const std::string& name, const std::vector<std::string>& names,
                           const std::vector<std::string>& ignored);

}  // namespace equinoise
