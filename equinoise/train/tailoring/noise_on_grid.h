// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// `sensitivity`, in L2 under zero_out, in units of the grid, a power of two. It is larger if rho
/// needs more noise than the permit gives it, never smaller.
Sensitivity on_grid(const Permit& permit, double sensitivity, double rho, double grid);

/// The sensitivities for a draw that cells share, one for each permit.
std::vector<Sensitivity> on_grid(std::span<const Permit> permits, double sensitivity, double rho,
                                 double grid);

/// The L2 change of a group's sums by one record of a cell, and its cost.
struct GroupPart {
  double bound = 0;
  double rho = 0;
};

/// Adds one draw of noise to `units`, the sums of all overlapping groups one after another on the
/// grid; cell c is in the groups groups_of_cell[c].
///
/// Relation: zero_out; a neighbouring change is within one cell, since a record is in one.
/// Sensitivity, in L2: a record of cell c adds a vector of length bound_k at most to the sums of
/// each group k of the cell and nothing to any other. So all sums together, as one vector, change
/// by the root of the sum of bound_k^2 over the cell. Cost: to the members of a cell their own
/// permit, or the sum of its groups' rho if that is smaller. If every group has bound_k = b
/// sqrt(rho_k) with one b, the noise b / sqrt(2) is what each of them needs by itself. Errors:
/// kRuntime unless there is a permit for each cell.
void add_joint_noise(std::vector<Permit> permits,
                     const std::vector<std::vector<size_t>>& groups_of_cell,
                     std::span<const GroupPart> groups, double grid, std::span<int64_t> units,
                     RandomSource& source);

}  // namespace equinoise
