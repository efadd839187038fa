// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/split.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

/// The output function of SplitMix64: a bijection of 64-bit words that mixes every bit into every
/// other.
uint64_t mix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

/// Mixing the seed first keeps neighbouring seeds from giving shifted copies of one order.
uint64_t hash_of(uint64_t seed, uint64_t index) {
  constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;
  return mix(mix(seed + kGoldenGamma) + (index + 1) * kGoldenGamma);
}

}  // namespace

SplitSizes split_sizes(int64_t num_records, double test_fraction, std::string_view counted) {
  constexpr std::string_view kWhere = "data.split";
  if (num_records < 1 || num_records > int64_t{std::numeric_limits<uint32_t>::max()}) {
    throw Error(ErrorKind::kUsage, kWhere, "num_records must lie between 1 and {}, got {}",
                std::numeric_limits<uint32_t>::max(), num_records);
  }
  if (!(test_fraction >= 0 && test_fraction < 1)) {
    throw Error(ErrorKind::kUsage, kWhere, "test_fraction must be >= 0 and < 1, got {}",
                test_fraction);
  }
  // 0.29 * 100 is just below 29 in doubles; the factor makes decimal fractions exact as written.
  const double nudge = 1 + 4 * std::numeric_limits<double>::epsilon();
  const int64_t num_test = std::min(
      num_records,
      static_cast<int64_t>(std::floor(static_cast<double>(num_records) * test_fraction * nudge)));
  if (test_fraction > 0 && (num_test == 0 || num_test == num_records)) {
    throw Error(ErrorKind::kUsage, kWhere,
                "test_fraction {} leaves {} of {} {} for training and {} for testing; "
                "both must be at least 1",
                test_fraction, num_records - num_test, num_records, counted, num_test);
  }
  return {num_records - num_test, num_test};
}

Split split_records(int64_t num_records, double test_fraction, uint64_t split_seed,
                    std::string_view counted) {
  const SplitSizes sizes = split_sizes(num_records, test_fraction, counted);
  Split split;
  split.train.reserve(static_cast<size_t>(sizes.train));
  split.test.reserve(static_cast<size_t>(sizes.test));
  // Hashes of one seed are distinct: exactly the number of test records is below this one.
  uint64_t first_of_train = 0;
  if (sizes.test > 0) {
    std::vector<uint64_t> hashes(static_cast<size_t>(num_records));
    for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = hash_of(split_seed, i);
    const auto place = hashes.begin() + sizes.test;
    std::nth_element(hashes.begin(), place, hashes.end());
    first_of_train = *place;
  }
  for (uint32_t i = 0; i < num_records; ++i)
    (hash_of(split_seed, i) < first_of_train ? split.test : split.train).push_back(i);
  return split;
}

std::vector<uint32_t> public_order(int64_t num_records, uint64_t seed) {
  std::vector<std::pair<uint64_t, uint32_t>> order(static_cast<size_t>(num_records));
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = {hash_of(seed, i), i};
  std::ranges::sort(order);
  std::vector<uint32_t> positions;
  positions.reserve(order.size());
  for (const auto& [hash, position] : order) positions.push_back(position);
  return positions;
}

}  // namespace equinoise
