// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/stratum_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/tasks/means/named_values.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "tasks.stratum_sizes";

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, problem);
}

}  // namespace

std::vector<double> public_stratum_sizes(const Schema& schema, const Grouping& grouping,
                                         const std::vector<std::string>& names,
                                         const std::map<std::string, double>& given) {
  if (grouping.columns.empty() && !given.empty()) {
    refuse("--stratum-size needs --by; the size of the whole table is num_records of the schema");
  }
  require_names(kWhere, "--stratum-size", given, names);
  const auto num_records = static_cast<double>(schema.num_records);
  if (grouping.columns.empty()) return {num_records};
  std::vector<double> sizes;
  std::vector<bool> is_unknown;
  double total = 0;
  for (size_t k = 0; k < names.size(); ++k) {
    std::optional<double> known;
    if (const auto found = given.find(names[k]); found != given.end()) {
      known = found->second;
    } else if (grouping.public_sizes[k]) {
      known = static_cast<double>(*grouping.public_sizes[k]);
    }
    if (known && !(*known >= 0 && *known == std::floor(*known))) {
      refuse(fmt::format("the size of stratum {} must be a whole number >= 0, got {}", names[k],
                         *known));
    }
    is_unknown.push_back(!known);
    sizes.push_back(known.value_or(0));
    total += sizes.back();
  }
  if (total > num_records) {
    refuse(
        fmt::format("the sizes of the strata add up to {}, more than the {} records of the "
                    "table; correct them",
                    total, num_records));
  }
  const bool is_any_unknown =
      std::find(is_unknown.begin(), is_unknown.end(), true) != is_unknown.end();
  if (is_any_unknown && total < num_records) {
    refuse(fmt::format(
        "the public sizes of these strata are not known: {}; declare them in [[public.groups]] of "
        "the schema or with --stratum-size STRATUM=NUMBER (strata left out are assumed to be empty "
        "once the others make up the table), or pay for them with --private-sizes",
        list_names(names, is_unknown)));
  }
  return sizes;
}

}  // namespace equinoise
