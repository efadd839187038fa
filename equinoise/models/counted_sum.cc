// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/counted_sum.h"

#include <algorithm>
#include <vector>

namespace equinoise {

void add_counted_sum(const Model& model, const EncodedTable& table, const CountedRecords& records,
                     const PerSample& samples, std::span<const double> weights,
                     const SumScale& scale, std::span<int64_t> units) {
  if (records.counts.empty())
    return model.add_weighted_sum(table, records.records, samples, weights, scale, units);
  uint32_t digits = 0;
  for (const uint32_t count : records.counts) digits |= count;
  std::vector<double> chosen(weights.size());
  std::vector<int64_t> sum(units.size());
  for (uint32_t digit = 1; digit != 0 && digit <= digits; digit <<= 1) {
    if ((digits & digit) == 0) continue;
    for (size_t i = 0; i < chosen.size(); ++i)
      chosen[i] = (records.counts[i] & digit) != 0 ? weights[i] : 0;
    std::fill(sum.begin(), sum.end(), 0);
    model.add_weighted_sum(table, records.records, samples, chosen, scale, sum);
    for (size_t j = 0; j < units.size(); ++j) units[j] += digit * sum[j];
  }
}

}  // namespace equinoise
