// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/shared_vectors.h"

namespace equinoise::testing {

/// The cases of a vector file in which `key` has that value. Fails if there is none.
inline std::vector<nlohmann::json> cases_with(const nlohmann::json& cases, const std::string& key,
                                              const std::string& value) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& c : cases)
    if (c[key] == value) found.push_back(c);
  EXPECT_FALSE(found.empty()) << "no case with " << key << " " << value;
  return found;
}

}  // namespace equinoise::testing
