// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/newton_sums.h"

#include <cmath>
#include <numbers>

#include "equinoise/train/regression/record_sums.h"

namespace equinoise {

NewtonSums::NewtonSums(double row_bound, double grid)
    : row_bound_(row_bound),
      of_gradient_(std::sqrt(kGradientShare / (row_bound * row_bound + 1)) / grid),
      of_second_(4 * std::sqrt(kSecondShare) / (row_bound * row_bound + 1) / grid),
      grid_(grid) {}

size_t NewtonSums::num_entries(size_t num_features) {
  const size_t size = num_features + 1;
  return size * (size + 1) / 2 + size;
}

std::vector<int64_t> NewtonSums::sum_up(const EncodedTable& table,
                                        const Eigen::VectorXd& parameters, int threads) const {
  const size_t p = table.num_features;
  const size_t gradient = (p + 1) * (p + 2) / 2;
  const auto add = [&](size_t record, int64_t count, const CentredRecord& features,
                       std::span<int64_t> units) {
    double score = parameters(static_cast<Eigen::Index>(p));
    for (size_t a = 0; a < features.places.size(); ++a)
      score += features.values[a] * parameters(static_cast<Eigen::Index>(features.places[a]));
    if (!std::isfinite(features.squares) || !std::isfinite(score)) return;
    const double probability = 1 / (1 + std::exp(-score));
    const double y = table.labels[record] == 0 ? 0 : 1;
    const double weight = features.weight(row_bound_);
    const double first = of_gradient_ * weight * (probability - y);
    const double second = of_second_ * weight * probability * (1 - probability);
    for (size_t a = 0; a < features.places.size(); ++a) {
      const size_t place = features.places[a];
      const double value = second * features.values[a];
      units[place_in_triangle(place, place, p + 1)] +=
          count * cut_towards_zero(value * features.values[a]);
      for (size_t b = a + 1; b < features.places.size(); ++b)
        units[place_in_triangle(place, features.places[b], p + 1)] +=
            count * cut_towards_zero(std::numbers::sqrt2 * value * features.values[b]);
      units[place_in_triangle(place, p, p + 1)] +=
          count * cut_towards_zero(std::numbers::sqrt2 * value);
      units[gradient + place] += count * cut_towards_zero(first * features.values[a]);
    }
    units[place_in_triangle(p, p, p + 1)] += count * cut_towards_zero(second);
    units[gradient + p] += count * cut_towards_zero(first);
  };
  return sum_over_records(table, num_entries(p), threads, add);
}

NoisyCurvature NewtonSums::read(std::span<const int64_t> units, size_t num_features,
                                double noise_stddev) const {
  const size_t size = num_features + 1;
  const auto rows = static_cast<Eigen::Index>(size);
  NoisyCurvature found{Eigen::VectorXd(rows), Eigen::MatrixXd(rows, rows),
                       noise_stddev / of_gradient_, noise_stddev / of_second_};
  for (size_t i = 0; i < size; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    found.gradient(row) = static_cast<double>(units[size * (size + 1) / 2 + i]) / of_gradient_;
    for (size_t j = i; j < size; ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      const double times = i == j ? of_second_ : of_second_ * std::numbers::sqrt2;
      found.second(row, column) = static_cast<double>(units[place_in_triangle(i, j, size)]) / times;
      found.second(column, row) = found.second(row, column);
    }
  }
  return found;
}

}  // namespace equinoise
