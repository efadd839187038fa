// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// The reason why no model can satisfy all constraints on any data; empty if they are compatible,
/// or if this method finds no contradiction. It propagates bounds on rates from constraint to
/// constraint, and from a rate to its complement (P(a | c) = 1 - P(not a | c)).
std::optional<std::string> find_contradiction(const RateProgram& program);

}  // namespace equinoise
