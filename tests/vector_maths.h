// SPDX-License-Identifier: Apache-2.0
// Sums, norms and differences of vectors, as definitions have them.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace equinoise::testing {

inline double total(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The distance of vectors.
inline double distance(std::span<const int64_t> a, std::span<const int64_t> b) {
  long double squared = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto change = static_cast<long double>(a[i] - b[i]);
    squared += change * change;
  }
  return static_cast<double>(std::sqrt(squared));
}

inline double distance(std::span<const double> a, std::span<const double> b) {
  double squared = 0;
  for (size_t i = 0; i < a.size(); ++i) squared += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squared);
}

inline double norm(std::span<const int64_t> units) {
  return distance(units, std::vector<int64_t>(units.size()));
}

/// Without rounding.
inline __int128 exact_squared_norm(std::span<const int64_t> units) {
  __int128 squared = 0;
  for (const int64_t unit : units) squared += static_cast<__int128>(unit) * unit;
  return squared;
}

inline std::vector<double> moved(std::vector<double> point, std::span<const double> direction,
                                 double step) {
  for (size_t j = 0; j < point.size(); ++j) point[j] += step * direction[j];
  return point;
}

/// The slope of a function along a direction, by central differences.
template <typename Function>
double slope(const Function& function, const std::vector<double>& point,
             std::span<const double> direction, double step) {
  return (function(moved(point, direction, step)) - function(moved(point, direction, -step))) /
         (2 * step);
}

/// Its derivative by one coordinate.
template <typename Function>
double partial(const Function& function, const std::vector<double>& point, size_t j, double step) {
  std::vector<double> axis(point.size(), 0);
  axis[j] = 1;
  return slope(function, point, axis, step);
}

}  // namespace equinoise::testing
