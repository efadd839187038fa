// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// The first candidate that differs from `word` only in upper case. Otherwise the one with the
/// smallest edit distance to it, or "" if none is within a third of its length (at least 2, but at
/// most half of its letters, rounded up).
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// "; the nearest name in it is 'income'", or "" if none is near.
std::string nearest_in_it(std::string_view name, const std::vector<std::string>& names);

/// Throws that there is no `what` of that name; proposes the nearest of `names`, or else gives the
/// hint ("": the list of them). Errors: kUsage.
[[noreturn]] void refuse_unknown(std::string_view where, std::string_view what,
                                 std::string_view name, const std::vector<std::string>& names,
                                 std::string_view hint);

/// The row of that name. `names`: those that are taken elsewhere. Errors: as refuse_unknown.
template <typename Rows>
const auto& find_row(const Rows& rows, std::string_view where, std::string_view what,
                     std::string_view name, std::string_view hint = "equinoise methods lists them",
                     std::vector<std::string> names = {}) {
  for (const auto& row : rows) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  refuse_unknown(where, what, name, names, hint);
}

}  // namespace equinoise
