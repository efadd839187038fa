// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/noise_on_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"

namespace equinoise {

Sensitivity on_grid(const Permit& permit, double sensitivity, double rho, double grid) {
  const double wanted = 1 / std::sqrt(2 * rho);
  const double factor = std::max(1.0, wanted / permit.event().noise_multiplier());
  return {multiply_up(factor, sensitivity) / grid, Norm::kL2, Relation::kZeroOut};
}

std::vector<Sensitivity> on_grid(std::span<const Permit> permits, double sensitivity, double rho,
                                 double grid) {
  std::vector<Sensitivity> sensitivities;
  sensitivities.reserve(permits.size());
  for (const Permit& permit : permits)
    sensitivities.push_back(on_grid(permit, sensitivity, rho, grid));
  return sensitivities;
}

void add_joint_noise(std::vector<Permit> permits,
                     const std::vector<std::vector<size_t>>& groups_of_cell,
                     std::span<const GroupPart> groups, double grid, std::span<int64_t> units,
                     RandomSource& source) {
  if (permits.size() != groups_of_cell.size())
    throw Error(ErrorKind::kRuntime, "train.tailoring", "every cell must pay for a release");
  std::vector<Sensitivity> sensitivities;
  for (size_t c = 0; c < permits.size(); ++c) {
    double squared = 0;
    double rho = 0;
    for (const size_t group : groups_of_cell[c]) {
      squared += groups[group].bound * groups[group].bound;
      rho += groups[group].rho;
    }
    sensitivities.push_back(on_grid(permits[c], round_up(std::sqrt(squared), 1e-12), rho, grid));
  }
  add_shared_gaussian_noise(std::move(permits), sensitivities, units, source);
}

}  // namespace equinoise
