// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "equinoise/constraints/rate_constraint.h"

namespace equinoise {

/// A JSON file that parse_constraints_json reads back as these constraints, names included, if each
/// of their rates can apply to some record.
std::string constraints_to_json(std::span<const RateConstraint> constraints,
                                const ConstraintDomain& domain);

}  // namespace equinoise
