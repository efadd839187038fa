// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/unknown_column.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/data/schema/toml_section.h"

namespace equinoise {

std::string unknown_column(const std::string& name, const std::vector<std::string>& names,
                           const std::vector<std::string>& ignored) {
  if (std::find(ignored.begin(), ignored.end(), name) != ignored.end())
    return fmt::format("column \"{}\" is ignored by the schema, so rows do not hold it", name);
  return fmt::format("there is no column \"{}\"{}", name, did_you_mean(name, names));
}

}  // namespace equinoise
