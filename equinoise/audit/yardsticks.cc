// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/yardsticks.h"

#include <numeric>
#include <utility>

#include "equinoise/base/parallel.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/random/uniform.h"

namespace equinoise {

namespace {

constexpr uint64_t kBootstrapSeed = 20260101;
constexpr uint64_t kHalfSeed = 20260102;

size_t uniform_place(size_t num_places, RandomSource& source) {
  return static_cast<size_t>(uniform_fraction(source) * static_cast<double>(num_places));
}

/// Those who are drawn: units, or records.
class DrawnUnits {
 public:
  DrawnUnits(size_t num_records, std::span<const uint32_t> units)
      : num_records_(num_records), units_(units) {}

  size_t size() const { return units_.empty() ? num_records_ : units_.size() - 1; }

  IndexRange records(size_t unit) const {
    if (units_.empty()) return {unit, unit + 1};
    return {units_[unit], units_[unit + 1]};
  }

 private:
  size_t num_records_;
  std::span<const uint32_t> units_;
};

/// The records with a weight above 0, and their units.
struct CountingRecords {
  std::vector<size_t> records;
  std::vector<uint32_t> units;
};

CountingRecords counting(std::span<const double> weights, std::span<const uint32_t> units) {
  CountingRecords result;
  std::vector<uint8_t> is_kept(weights.size(), 0);
  for (size_t record = 0; record < weights.size(); ++record) {
    if (!(weights[record] > 0)) continue;
    is_kept[record] = 1;
    result.records.push_back(record);
  }
  result.units = units_of_kept(units, is_kept);
  return result;
}

}  // namespace

std::vector<size_t> bootstrap_places(size_t num_records, int draw,
                                     std::span<const uint32_t> units) {
  SeededSource source(kBootstrapSeed);
  source.start_step(static_cast<uint64_t>(draw));
  const DrawnUnits all(num_records, units);
  std::vector<size_t> places;
  for (size_t i = 0; i < all.size(); ++i) {
    const IndexRange records = all.records(uniform_place(all.size(), source));
    for (size_t place = records.begin; place < records.end; ++place) places.push_back(place);
  }
  return places;
}

std::vector<uint8_t> random_half(size_t num_records, std::span<const uint32_t> units) {
  SeededSource source(kHalfSeed);
  const DrawnUnits all(num_records, units);
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<uint8_t> half(num_records);
  for (size_t i = 0; i < order.size() / 2; ++i) {
    std::swap(order[i], order[i + uniform_place(order.size() - i, source)]);
    const IndexRange records = all.records(order[i]);
    for (size_t place = records.begin; place < records.end; ++place) half[place] = 1;
  }
  return half;
}

std::vector<double> bootstrap_weights(std::span<const double> weights, int draw,
                                      std::span<const uint32_t> units) {
  const CountingRecords counted = counting(weights, units);
  std::vector<double> result(weights.size());
  for (const size_t place : bootstrap_places(counted.records.size(), draw, counted.units))
    result[counted.records[place]] += weights[counted.records[place]];
  return result;
}

Halves half_weights(std::span<const double> weights, std::span<const uint32_t> units) {
  const CountingRecords counted = counting(weights, units);
  const std::vector<uint8_t> half = random_half(counted.records.size(), counted.units);
  Halves halves{std::vector<double>(weights.size()), std::vector<double>(weights.size())};
  for (size_t place = 0; place < half.size(); ++place) {
    const size_t record = counted.records[place];
    (half[place] != 0 ? halves.first : halves.second)[record] = weights[record];
  }
  return halves;
}

std::vector<uint32_t> units_of_kept(std::span<const uint32_t> units,
                                    std::span<const uint8_t> is_kept) {
  std::vector<uint32_t> kept;
  uint32_t num_kept = 0;
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const uint32_t begin = num_kept;
    for (size_t record = units[unit]; record < units[unit + 1]; ++record)
      num_kept += is_kept[record] != 0 ? 1 : 0;
    if (num_kept > begin) kept.push_back(begin);
  }
  if (!units.empty()) kept.push_back(num_kept);
  return kept;
}

}  // namespace equinoise
