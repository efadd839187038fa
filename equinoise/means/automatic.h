// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "equinoise/means/release.h"

namespace equinoise {

/// The plan of the registry's candidate with the narrowest expected intervals, from public facts
/// alone: sizes, bounds and each candidate's budget. One candidate serves all columns. Its rank
/// hardly depends on the column, and members of strata pay for all columns together, so that a
/// mixture would have to share one guarantee.
///
/// `rho_of` is the rho that a candidate may cost within the requested budget (one rho, or an
/// epsilon that each candidate turns into another rho). Only the returned plan is ever charged. A
/// candidate that refuses the question is left out. Errors: those of the first candidate, if all
/// refuse.
MeansPlan choose_plan(const MeansQuestion& question,
                      const std::function<double(const std::string& method)>& rho_of);

}  // namespace equinoise
