// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "equinoise/constraints/rate_constraint.h"

namespace equinoise::testing {

inline ConstraintDomain sex_and_race() {
  return {{{"sex", {"F", "M"}}, {"race", {"White", "Black", "Other"}}}, {"neg", "pos"}};
}

/// Of a case of raco_step.json.
inline ConstraintDomain domain_of(const nlohmann::json& c) {
  ConstraintDomain domain;
  for (const nlohmann::json& attribute : c["attributes"])
    domain.attributes.push_back({attribute["name"], attribute["values"]});
  domain.classes = c["classes"].get<std::vector<std::string>>();
  return domain;
}

/// {"constraint": [...]}, as a file would say it.
inline std::string constraint_file(const nlohmann::json& list) {
  return nlohmann::json{{"constraint", list}}.dump();
}

}  // namespace equinoise::testing
