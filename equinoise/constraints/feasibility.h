// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// Why no model can keep all constraints whatever the data, if that can be seen by carrying bounds
/// on rates from constraint to constraint, also from a rate to its complement (P(a | c) = 1 - P(not
/// a | c)). Nothing if they are compatible, or if this does not show that they are not.
std::optional<std::string> find_contradiction(const RateProgram& program);

}  // namespace equinoise
