// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// Errors: kUsage that says `where`, `what` the name is for, and proposes the nearest of `names`.
[[noreturn]] void refuse_name(std::string_view where, std::string_view what,
                              const std::string& name, const std::vector<std::string>& names);

/// That values were given for `names` alone. Errors: as refuse_name.
template <typename Value>
void require_names(std::string_view where, std::string_view what,
                   const std::map<std::string, Value>& given,
                   const std::vector<std::string>& names) {
  for (const auto& [name, value] : given) {
    bool is_known = false;
    for (const std::string& known : names) is_known = is_known || known == name;
    if (!is_known) refuse_name(where, what, name, names);
  }
}

/// The first few of the names that are `meant` (num_names), and how many more there are.
std::string list_names(const std::vector<std::string>& names, const std::vector<bool>& meant);

}  // namespace equinoise
