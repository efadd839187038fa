// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "equinoise/constraints/rate_constraint.h"

namespace equinoise {

/// A JSON file that parse_constraints_json reads as these constraints again, names included, where
/// each of their rates may look at somebody.
std::string constraints_to_json(std::span<const RateConstraint> constraints,
                                const ConstraintDomain& domain);

}  // namespace equinoise
