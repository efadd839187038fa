// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// Why no model can keep all constraints whatever the data, where that can be seen: bounds on rates
/// are carried from constraint to constraint, also from a rate to the one of everything else
/// (P(a | c) = 1 - P(not a | c)). Nothing where they are compatible, or where it takes more to see
/// that they are not.
std::optional<std::string> find_contradiction(const RateProgram& program);

}  // namespace equinoise
