// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/data/encoder.h"

namespace equinoise {

/// A bound on the relative rounding error in the norm of a record's products of features: a few
/// roundings of 2^-53 for each of at most some thousand features.
inline constexpr double kProductRounding = 1e-9;

/// The features of a record that are not 0, from the middles and in the half widths of NumberScale.
struct CentredRecord {
  std::vector<uint32_t> places;
  std::vector<double> values;
  double squares = 0;  ///< the squared norm

  void read(const EncodedTable& table, int64_t record) {
    places.clear();
    values.clear();
    squares = 0;
    const std::span<const float> dense = table.dense_row(record);
    for (uint32_t j = 0; j < dense.size(); ++j) {
      const NumberScale scale = table.scale_of(j);
      add(j, (static_cast<double>(dense[j]) - scale.middle) / scale.half_width);
    }
    for (const uint32_t place : table.active_row(record)) add(place, 1);
  }

  /// The weight of a record that keeps it no longer than `bound`.
  double weight(double bound) const {
    return squares > bound * bound ? bound * bound / squares : 1;
  }

 private:
  void add(uint32_t place, double value) {
    if (value == 0) return;
    places.push_back(place);
    values.push_back(value);
    squares += value * value;
  }
};

/// The position of entry (i, j) of a symmetric matrix, which is also that of (j, i).
inline size_t place_in_triangle(size_t i, size_t j, size_t size) {
  if (i > j) std::swap(i, j);
  return i * size - i * (i + 1) / 2 + j;
}

/// Rounds towards 0, which makes no vector longer.
inline int64_t cut_towards_zero(double value) { return static_cast<int64_t>(std::trunc(value)); }

}  // namespace equinoise
