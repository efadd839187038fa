// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/counted_question.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "equinoise/base/error.h"
#include "equinoise/synth/graph/factor.h"

namespace equinoise {

namespace {

[[noreturn]] void fail_counts() {
  throw Error(ErrorKind::kInput, "synth.counted_question",
              "released counts do not fit their columns; the file is damaged, copy it again");
}

void check_counts(const SynthMeasurement& measurement, const Domain& domain) {
  const AttributeSet& attributes = measurement.attributes;
  const bool is_set =
      std::ranges::adjacent_find(attributes, std::greater_equal<>()) == attributes.end() &&
      contains(domain.all(), attributes);
  const bool fits_pools =
      measurement.pooled.empty() || measurement.pooled.size() == attributes.size();
  const bool fits_cell =
      measurement.cell.empty() ||
      (measurement.cell.size() == attributes.size() && measurement.counts.size() == 1);
  if (!is_set || !fits_pools || !fits_cell || !(measurement.noise_stddev > 0)) fail_counts();
}

/// The factor of each counted code.
std::optional<ColumnFactor> pooled_factor(const ColumnFactor& factor, const RareValues& values) {
  ColumnFactor result;
  for (const uint16_t code : values.kept) {
    result.low.push_back(factor.low[code]);
    result.middle.push_back(factor.middle[code]);
    result.high.push_back(factor.high[code]);
    result.base.push_back(factor.base[code]);
  }
  if (values.pooled.empty()) return result;
  const uint16_t first = values.pooled.front();
  double low = factor.low[first];
  double high = factor.high[first];
  double middle = 0;
  for (const uint16_t code : values.pooled) {
    if (factor.base[code] != factor.base[first]) return std::nullopt;
    low = std::min(low, factor.low[code]);
    high = std::max(high, factor.high[code]);
    middle += factor.middle[code];
  }
  result.low.push_back(low);
  result.middle.push_back(middle / static_cast<double>(values.pooled.size()));
  result.high.push_back(high);
  result.base.push_back(factor.base[first]);
  return result;
}

}  // namespace

std::optional<CountTable> summed_onto(const SynthMeasurement& measurement, const Domain& domain,
                                      const AttributeSet& set) {
  check_counts(measurement, domain);
  if (!measurement.cell.empty() || !contains(measurement.attributes, set)) return std::nullopt;
  std::vector<RareValues> values = keep_all(domain);
  for (size_t i = 0; i < measurement.pooled.size(); ++i) {
    const auto attribute = static_cast<size_t>(measurement.attributes[i]);
    values[attribute] = pool_codes(values[attribute].num_codes(), measurement.pooled[i]);
  }
  const Domain counted = pooled_domain(domain, values);
  if (counted.num_cells(measurement.attributes) != static_cast<double>(measurement.counts.size()))
    fail_counts();
  const Broadcast sums(counted, measurement.attributes, set);
  CountTable table;
  table.counts.resize(sums.small_cells());
  sums.sum_onto(measurement.counts, table.counts);
  const double num_summed =
      static_cast<double>(measurement.counts.size()) / static_cast<double>(table.counts.size());
  table.noise_stddev = measurement.noise_stddev * std::sqrt(num_summed);
  for (const int attribute : set)
    table.values.push_back(std::move(values[static_cast<size_t>(attribute)]));
  return table;
}

std::optional<CountedPart> counted_part(const CountTable& table,
                                        std::span<const ColumnFactor* const> factors) {
  CountedPart part{table.noise_stddev, table.counts, {1}, {1}, {1}, {1}};
  for (size_t i = 0; i < factors.size(); ++i) {
    const std::optional<ColumnFactor> own = pooled_factor(*factors[i], table.values[i]);
    if (!own) return std::nullopt;
    multiply_out(part.low, own->low);
    multiply_out(part.middle, own->middle);
    multiply_out(part.high, own->high);
    multiply_out(part.base, own->base);
  }
  return part;
}

}  // namespace equinoise
