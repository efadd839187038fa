// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_gaussian_table.h"

#include "equinoise/privacy/random/clamped_sum.h"

namespace equinoise {

DiscreteGaussianTable::DiscreteGaussianTable(const DiscreteGaussianMasses& masses)
    : stddev_(masses.stddev()), column_bits_(bit_width(masses.masses().size() - 1)) {
  column_mask_ = (uint64_t{1} << column_bits_) - 1;
  head_mask_ = (uint64_t{1} << (63 - column_bits_)) - 1;
  const Uint128 capacity = Uint128{1} << (127 - column_bits_);

  // A column that is not full gets the rest of its mass from one that has too much, which thereby
  // loses it; integers, so the masses of all columns stay exactly their due.
  std::vector<Uint128> left(masses.masses().begin(), masses.masses().end());
  left.resize(size_t{1} << column_bits_, 0);
  std::vector<Uint128> border(left.size(), capacity);
  std::vector<uint64_t> alias(left.size(), 0);
  std::vector<size_t> poor;
  std::vector<size_t> rich;
  for (size_t i = 0; i < left.size(); ++i) (left[i] < capacity ? poor : rich).push_back(i);
  while (!poor.empty()) {
    const size_t i = poor.back();
    const size_t donor = rich.back();
    poor.pop_back();
    border[i] = left[i];
    alias[i] = donor;
    left[donor] -= capacity - left[i];
    if (left[donor] < capacity) {
      rich.pop_back();
      poor.push_back(donor);
    }
  }
  for (size_t i = 0; i < left.size(); ++i) {
    columns_.push_back((static_cast<uint64_t>(border[i] >> 64) << column_bits_) | alias[i]);
    border_rest_.push_back(static_cast<uint64_t>(border[i]));
  }
}

void DiscreteGaussianTable::add_noise(std::span<int64_t> units, RandomSource& source) const {
  const auto next_word = [&source] { return source.next(); };
  for (int64_t& unit : units) unit = clamped_sum(unit, draw(next_word));
}

Uint128 DiscreteGaussianTable::mass_of(size_t magnitude) const {
  Uint128 mass = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Uint128 border = (Uint128{columns_[i] >> column_bits_} << 64) | border_rest_[i];
    if (i == magnitude) mass += border;
    if ((columns_[i] & column_mask_) == magnitude) {
      mass += (Uint128{1} << (127 - column_bits_)) - border;
    }
  }
  return mass;
}

}  // namespace equinoise
