// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/measure.h"

#include <algorithm>

#include "equinoise/privacy/mechanisms/discrete_gaussian.h"

namespace equinoise {

namespace {

NoisyMarginal with_noise(const AttributeSet& set, std::vector<int64_t> units, Permit permit,
                         Relation relation, RandomSource& source) {
  NoisyMarginal result;
  result.clique = set;
  result.noise_stddev = permit.event().noise_stddev();
  add_discrete_gaussian_noise(std::move(permit), Sensitivity(1, Norm::kL1, relation), units,
                              source);
  result.values.assign(units.begin(), units.end());
  return result;
}

}  // namespace

NoisyMarginal measure_marginal(const MarginalSource& records, const AttributeSet& set,
                               Permit permit, Relation relation, RandomSource& source) {
  const std::vector<uint32_t> counts = records.count(set);
  return with_noise(set, {counts.begin(), counts.end()}, std::move(permit), relation, source);
}

NoisyMarginal measure_parts(const MarginalSource& records, int attribute,
                            std::span<const size_t> part_of, Permit permit, Relation relation,
                            RandomSource& source) {
  const std::vector<uint32_t> counts = records.count({attribute});
  std::vector<int64_t> units(*std::ranges::max_element(part_of) + 1);
  for (size_t code = 0; code < counts.size(); ++code) units[part_of[code]] += counts[code];
  return with_noise({attribute}, std::move(units), std::move(permit), relation, source);
}

}  // namespace equinoise
