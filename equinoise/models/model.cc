// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/model.h"

namespace equinoise {

void Model::add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                            const PerSample& samples, std::span<const double> weights,
                            const SumScale& scale, std::span<int64_t> units) const {
  if (counted.counts.empty())
    return add_weighted_sum(table, counted.records, samples, weights, scale, units);
  uint32_t digits = 0;
  for (const uint32_t count : counted.counts) digits |= count;
  std::vector<double> chosen(weights.size());
  std::vector<int64_t> sum(units.size());
  for (uint32_t digit = 1; digit != 0 && digit <= digits; digit <<= 1) {
    if ((digits & digit) == 0) continue;
    for (size_t i = 0; i < chosen.size(); ++i)
      chosen[i] = (counted.counts[i] & digit) != 0 ? weights[i] : 0;
    std::ranges::fill(sum, 0);
    add_weighted_sum(table, counted.records, samples, chosen, scale, sum);
    for (size_t j = 0; j < units.size(); ++j) units[j] += digit * sum[j];
  }
}

}  // namespace equinoise
