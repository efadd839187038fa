// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/constraints/rate_constraint.h"

namespace equinoise {

/// The constraints of a TOML file, or of a JSON file of the same structure if the name ends in
/// .json; see docs/guide/constraints.md. Classes and attributes that the file declares must be
/// those of the domain. Errors: kInput; the message has the file, for TOML the line and column, and
/// the fix.
std::vector<RateConstraint> read_constraints(const std::filesystem::path& path,
                                             const ConstraintDomain& domain);

/// The constraints of a text. `origin` names it in errors.
std::vector<RateConstraint> parse_constraints_toml(std::string_view text, std::string_view origin,
                                                   const ConstraintDomain& domain);
std::vector<RateConstraint> parse_constraints_json(std::string_view text, std::string_view origin,
                                                   const ConstraintDomain& domain);

/// The constraints of one line: "demographic_parity:sex:0.05", "equalized_odds:sex,race:0.1",
/// "group_error:race:0.2", and for rates "fnr:0.1", "fnr:sex=F:0.1", "fnr:CLASS:0.1", "tpr:0.8".
/// The rates fnr, fpr and pred_rate are bounded above; tpr, tnr and precision are bounded below. If
/// no class is given and there are more than two, the rates of every class are bounded.
/// [YaghiniEtAl2025, Table 1] Errors: kUsage.
std::vector<RateConstraint> parse_constraint(std::string_view text, const ConstraintDomain& domain);

/// The constraints of the file, unless the path is empty, then those of the lines.
std::vector<RateConstraint> gather_constraints(const std::filesystem::path& path,
                                               const std::vector<std::string>& lines,
                                               const ConstraintDomain& domain);

}  // namespace equinoise
