// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/yardsticks.h"

#include <numeric>
#include <utility>

#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/random/uniform.h"

namespace equinoise {

namespace {

constexpr uint64_t kBootstrapSeed = 20260101;
constexpr uint64_t kHalfSeed = 20260102;

size_t uniform_place(size_t num_places, RandomSource& source) {
  return static_cast<size_t>(uniform_fraction(source) * static_cast<double>(num_places));
}

/// The records with a weight above 0.
std::vector<size_t> counting(std::span<const double> weights) {
  std::vector<size_t> records;
  for (size_t record = 0; record < weights.size(); ++record)
    if (weights[record] > 0) records.push_back(record);
  return records;
}

}  // namespace

std::vector<size_t> bootstrap_places(size_t num_records, int draw) {
  SeededSource source(kBootstrapSeed);
  source.start_step(static_cast<uint64_t>(draw));
  std::vector<size_t> places(num_records);
  for (size_t& place : places) place = uniform_place(num_records, source);
  return places;
}

std::vector<uint8_t> random_half(size_t num_records) {
  SeededSource source(kHalfSeed);
  std::vector<size_t> order(num_records);
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<uint8_t> half(num_records);
  for (size_t i = 0; i < num_records / 2; ++i) {
    std::swap(order[i], order[i + uniform_place(num_records - i, source)]);
    half[order[i]] = 1;
  }
  return half;
}

std::vector<double> bootstrap_weights(std::span<const double> weights, int draw) {
  const std::vector<size_t> records = counting(weights);
  std::vector<double> result(weights.size());
  for (const size_t place : bootstrap_places(records.size(), draw))
    result[records[place]] += weights[records[place]];
  return result;
}

Halves half_weights(std::span<const double> weights) {
  const std::vector<size_t> records = counting(weights);
  const std::vector<uint8_t> half = random_half(records.size());
  Halves halves{std::vector<double>(weights.size()), std::vector<double>(weights.size())};
  for (size_t place = 0; place < records.size(); ++place) {
    std::vector<double>& own = half[place] != 0 ? halves.first : halves.second;
    own[records[place]] = weights[records[place]];
  }
  return halves;
}

}  // namespace equinoise
