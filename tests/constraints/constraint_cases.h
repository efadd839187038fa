// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/rate_constraint.h"
#include "equinoise/constraints/rate_program.h"

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

/// The program of these constraints, without notes.
inline RateProgram compiled(const std::vector<RateConstraint>& constraints,
                            const ConstraintDomain& domain = sex_and_race()) {
  std::vector<std::string> notes;
  return compile_constraints(domain, constraints, notes);
}

/// The program of a line of constraints.
inline RateProgram compiled(std::string_view line,
                            const ConstraintDomain& domain = sex_and_race()) {
  return compiled(parse_constraint(line, domain), domain);
}

inline std::shared_ptr<const RateProgram> shared_program(
    std::string_view line, const ConstraintDomain& domain = sex_and_race()) {
  return std::make_shared<const RateProgram>(compiled(line, domain));
}

}  // namespace equinoise::testing
