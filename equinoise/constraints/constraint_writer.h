// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "equinoise/constraints/rate_constraint.h"

namespace equinoise {

/// A JSON file from which parse_constraints_json reads these constraints, names included. Pre: each
/// of their rates can apply to some record.
std::string constraints_to_json(std::span<const RateConstraint> constraints,
                                const ConstraintDomain& domain);

}  // namespace equinoise
