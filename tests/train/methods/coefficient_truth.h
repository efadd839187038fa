// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace equinoise::testing {

/// The true value of a coefficient of that name, "dense0" or "first=1 (against 2)", if features add
/// so much.
inline double truth_of(const std::map<std::string, double>& truth, const std::string& name) {
  const size_t space = name.find(' ');
  if (space == std::string::npos) return truth.at(name);
  const std::string feature = name.substr(0, space);
  const std::string reference =
      feature.substr(0, feature.find('=') + 1) +
      name.substr(name.rfind(' ') + 1, name.rfind(')') - name.rfind(' ') - 1);
  return truth.at(feature) - truth.at(reference);
}

}  // namespace equinoise::testing
