// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/measure.h"

#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/synth/marginal_counts.h"

namespace equinoise {

NoisyMarginal measure_marginal(const CodedTable& table, const AttributeSet& set, Permit permit,
                               Relation relation, RandomSource& source) {
  const std::vector<uint32_t> counts = count_marginal(table, set);
  std::vector<int64_t> units(counts.begin(), counts.end());
  NoisyMarginal result;
  result.clique = set;
  result.noise_stddev = permit.event().noise_stddev();
  add_discrete_gaussian_noise(std::move(permit), Sensitivity(1, Norm::kL1, relation), units,
                              source);
  result.values.assign(units.begin(), units.end());
  return result;
}

}  // namespace equinoise
