// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/weighted_count.h"

#include <algorithm>

namespace equinoise {

void WeightedCount::add(double weight, double of_cluster) {
  ++records;
  total += weight;
  squares += weight * of_cluster;
}

WeightedCount WeightedCount::with(const WeightedCount& others) const {
  return {records + others.records, total + others.total, squares + others.squares};
}

WeightedCount WeightedCount::without(const WeightedCount& some) const {
  // Rounding must not leave a weight if no records remain.
  if (records == some.records) return {};
  return {records - some.records, std::max(0.0, total - some.total),
          std::max(0.0, squares - some.squares)};
}

double weight_that_counts(std::span<const WeightedOutcome> outcomes) {
  constexpr double kAdded = 2;
  WeightedCount all;
  double mean = 0;
  for (const WeightedOutcome& outcome : outcomes) {
    all = all.with(outcome.records);
    mean += outcome.value * outcome.records.total;
  }
  mean /= all.total;
  const double usual = all.squares / all.total;
  double variance = 0;
  double weighted = 0;
  for (const auto& [value, records] : outcomes) {
    const double typical =
        (records.squares + kAdded * usual * usual) / (records.total + kAdded * usual);
    const double part = records.total * (value - mean) * (value - mean);
    variance += part;
    weighted += part * typical;
  }
  return variance > 0 ? weighted / variance : usual;
}

}  // namespace equinoise
