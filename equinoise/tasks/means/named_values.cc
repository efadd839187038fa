// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/named_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"

namespace equinoise {

void refuse_name(std::string_view where, std::string_view what, const std::string& name,
                 const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::kUsage, where,
              fmt::format("{} \"{}\": there is no such name; {}", what, name,
                          nearest.empty() ? fmt::format("choose among {}", fmt::join(names, "; "))
                                          : fmt::format("did you mean \"{}\"?", nearest)));
}

std::string list_names(const std::vector<std::string>& names, const std::vector<bool>& meant) {
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
