// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/random/discrete_gaussian_masses.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// A sampler for many draws of one discrete Gaussian: an alias table [Walker1977], one random word
/// and one look-up per draw.
///
/// 2^b columns of equal mass 2^(127 - b) (in units of 2^-127) hold one or two magnitudes each. The
/// first b bits of a word choose the column, the last one the sign, and the others are the head of
/// a position of 127 - b bits in the column. A second word is its rest and is drawn only if the
/// head ties with the border between the two magnitudes. Integers throughout, so the distribution
/// is exactly that of DiscreteGaussianMasses: kDiscreteGaussianTableError bounds the error of a
/// draw. The look-up's address depends on the draw, and so does the time a little
/// (docs/theory/noise.md).
class DiscreteGaussianTable {
 public:
  /// Errors: kUsage, see DiscreteGaussianMasses.
  explicit DiscreteGaussianTable(double stddev)
      : DiscreteGaussianTable(DiscreteGaussianMasses(stddev)) {}
  explicit DiscreteGaussianTable(const DiscreteGaussianMasses& masses);

  double stddev() const { return stddev_; }

  /// A draw from words of `next_word()`.
  template <typename NextWord>
  int64_t draw(NextWord next_word) const {
    const uint64_t word = next_word();
    const auto column = static_cast<size_t>(word >> (64 - column_bits_));
    const uint64_t head = (word >> 1) & head_mask_;
    const uint64_t border = columns_[column] >> column_bits_;
    const uint64_t own = column;
    const uint64_t other = columns_[column] & column_mask_;
    // Chooses by arithmetic: the outcome is as good as random, so a branch would be mispredicted.
    uint64_t is_own = head < border ? 1 : 0;
    if (head == border) [[unlikely]] {
      is_own = next_word() < border_rest_[column] ? 1 : 0;
    }
    const uint64_t magnitude = other ^ ((own ^ other) & (0 - is_own));
    const uint64_t negative = word & 1;
    return static_cast<int64_t>((magnitude ^ (0 - negative)) + negative);
  }

  /// Adds to each entry an independent draw; a sum beyond 64 bits is clamped.
  void add_noise(std::span<int64_t> units, RandomSource& source) const;

  /// The mass that draw() gives to a magnitude, in units of 2^-127, read from the table.
  Uint128 mass_of(size_t magnitude) const;

 private:
  double stddev_;
  int column_bits_;       // b
  uint64_t column_mask_;  // 2^b - 1
  uint64_t head_mask_;    // 2^(63 - b) - 1
  // Column i: positions below its border give i, the others its alias. Border's head * 2^b + alias,
  // and the border's last 64 bits.
  std::vector<uint64_t> columns_;
  std::vector<uint64_t> border_rest_;
};

}  // namespace equinoise
