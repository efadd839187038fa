// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"

namespace equinoise {

/// Errors: kUsage that says `where`, `what` the name is for, and proposes the nearest of `names`.
[[noreturn]] inline void refuse_name(std::string_view where, std::string_view what,
                                     const std::string& name,
                                     const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::kUsage, where, "{} \"{}\": there is no such name; {}", what, name,
              nearest.empty() ? fmt::format("choose among {}", fmt::join(names, "; "))
                              : fmt::format("did you mean \"{}\"?", nearest));
}

/// Checks that values were given for `names` alone. Errors: as refuse_name.
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
inline std::string list_names(const std::vector<std::string>& names,
                              const std::vector<bool>& meant) {
  constexpr size_t kMaxNamed = 5;
  std::vector<std::string> chosen;
  for (size_t k = 0; k < names.size(); ++k)
    if (meant[k]) chosen.push_back(names[k]);
  const size_t num_more = chosen.size() - std::min(chosen.size(), kMaxNamed);
  chosen.resize(chosen.size() - num_more);
  return fmt::format("{}{}", fmt::join(chosen, "; "),
                     num_more > 0 ? fmt::format(" and {} more", num_more) : "");
}

}  // namespace equinoise
