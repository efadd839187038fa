// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "equinoise/means/release.h"

namespace equinoise {

/// The plan of the candidate of the registry that is expected to leave the narrowest intervals, by
/// public facts alone: sizes, bounds and the budget that each candidate may have. One candidate for
/// all columns: how two of them compare hardly depends on the column, and members of strata pay for
/// all columns together, so that a mixture would have to share one guarantee.
///
/// rho_of: what a candidate may cost, so that it keeps within what was asked for (one rho, or an
/// epsilon that each turns into another rho). Only the plan that is returned is ever charged. A
/// candidate that refuses the question is left out; errors: those of the first one, if all do.
MeansPlan choose_plan(const MeansQuestion& question,
                      const std::function<double(const std::string& method)>& rho_of);

}  // namespace equinoise
