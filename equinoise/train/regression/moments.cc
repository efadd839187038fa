// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/moments.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "equinoise/train/regression/record_sums.h"

namespace equinoise {

Moments combined(std::span<const Moments> parts, std::span<const double> weights) {
  const Eigen::Index p = parts[0].sum.size();
  Moments all{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Zero(p), Eigen::VectorXd::Zero(p)};
  double squares = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    all.second += weights[k] * parts[k].second;
    all.cross += weights[k] * parts[k].cross;
    all.sum += weights[k] * parts[k].sum;
    all.weight += weights[k] * parts[k].weight;
    all.target += weights[k] * parts[k].target;
    all.target_squares += weights[k] * parts[k].target_squares;
    squares += weights[k] * weights[k];
  }
  const double times = std::sqrt(squares);
  all.second_stddev = times * parts[0].second_stddev;
  all.cross_stddev = times * parts[0].cross_stddev;
  all.sum_stddev = times * parts[0].sum_stddev;
  all.weight_stddev = times * parts[0].weight_stddev;
  all.target_stddev = times * parts[0].target_stddev;
  all.target_squares_stddev = times * parts[0].target_squares_stddev;
  return all;
}

MomentSums::MomentSums(const MomentBounds& bounds, const MomentShares& shares, double grid)
    : bounds_(bounds),
      shares_(shares),
      of_second_(std::sqrt(shares.second) / (bounds.row * bounds.row) / grid),
      of_cross_(std::sqrt(shares.cross) / (bounds.row * bounds.target) / grid),
      of_sum_(std::sqrt(shares.sum) / bounds.row / grid),
      of_weight_(std::sqrt(shares.weight) / grid),
      of_target_(std::sqrt(shares.target) / bounds.target / grid),
      of_target_squares_(std::sqrt(shares.target_squares) / (bounds.target * bounds.target) / grid),
      grid_(grid) {}

size_t MomentSums::num_entries(size_t num_features, const MomentShares& shares) {
  return shares.has_slopes() ? num_features * (num_features + 1) / 2 + 2 * num_features + 3 : 1;
}

double MomentSums::sensitivity() const { return (1 + kProductRounding) / grid_; }

void MomentSums::add_record(const EncodedTable& table, size_t record, int64_t count,
                            const CentredRecord& features, std::span<int64_t> units) const {
  const double away = static_cast<double>(table.targets[record]) - bounds_.center;
  const double y = std::clamp(away, -bounds_.target, bounds_.target);
  if (!std::isfinite(features.squares) || !std::isfinite(away)) return;
  if (!shares_.has_slopes()) {
    units[0] += count * cut_towards_zero(of_target_ * y);
    return;
  }
  const double square = features.weight(bounds_.row);  // w^2
  const size_t p = table.num_features;
  int64_t* const cross = units.data() + p * (p + 1) / 2;
  int64_t* const sum = cross + p;
  int64_t* const rest = sum + p;
  for (size_t a = 0; a < features.places.size(); ++a) {
    const size_t place = features.places[a];
    const double value = square * features.values[a];
    const double second = of_second_ * value;
    units[place_in_triangle(place, place, p)] +=
        count * cut_towards_zero(second * features.values[a]);
    for (size_t b = a + 1; b < features.places.size(); ++b)
      units[place_in_triangle(place, features.places[b], p)] +=
          count * cut_towards_zero(std::numbers::sqrt2 * second * features.values[b]);
    cross[place] += count * cut_towards_zero(of_cross_ * value * y);
    sum[place] += count * cut_towards_zero(of_sum_ * value);
  }
  rest[0] += count * cut_towards_zero(of_weight_ * square);
  rest[1] += count * cut_towards_zero(of_target_ * square * y);
  rest[2] += count * cut_towards_zero(of_target_squares_ * square * y * y);
}

std::vector<int64_t> MomentSums::sum_up(const EncodedTable& table, int threads) const {
  return sum_over_records(
      table, num_entries(table.num_features, shares_), threads,
      [&](size_t record, int64_t count, const CentredRecord& features, std::span<int64_t> units) {
        add_record(table, record, count, features, units);
      });
}

std::vector<int64_t> MomentSums::sum_up_groups(const EncodedTable& table, size_t num_groups,
                                               int threads) const {
  const size_t size = num_entries(table.num_features, shares_);
  return sum_over_records(
      table, num_groups * size, threads,
      [&](size_t record, int64_t count, const CentredRecord& features, std::span<int64_t> units) {
        const size_t group = index_of(table.groups[record]);
        if (group < num_groups)
          add_record(table, record, count, features, units.subspan(group * size, size));
      });
}

Moments MomentSums::read(std::span<const int64_t> units, size_t num_features,
                         double noise_stddev) const {
  const size_t p = shares_.has_slopes() ? num_features : 0;
  const auto size = static_cast<Eigen::Index>(p);
  Moments moments{Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size),
                  Eigen::VectorXd::Zero(size)};
  const auto unit = [&](size_t place) { return static_cast<double>(units[place]); };
  moments.target_stddev = noise_stddev / of_target_;
  if (p == 0) {
    moments.target = unit(0) / of_target_;
    return moments;
  }
  const size_t cross = p * (p + 1) / 2;
  for (size_t i = 0; i < p; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    for (size_t j = i; j < p; ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      const double times = i == j ? of_second_ : of_second_ * std::numbers::sqrt2;
      moments.second(row, column) = unit(place_in_triangle(i, j, p)) / times;
      moments.second(column, row) = moments.second(row, column);
    }
    moments.cross(row) = unit(cross + i) / of_cross_;
    moments.sum(row) = unit(cross + p + i) / of_sum_;
  }
  const size_t rest = cross + 2 * p;
  moments.weight = unit(rest) / of_weight_;
  moments.target = unit(rest + 1) / of_target_;
  moments.target_squares = unit(rest + 2) / of_target_squares_;
  moments.second_stddev = noise_stddev / of_second_;
  moments.cross_stddev = noise_stddev / of_cross_;
  moments.sum_stddev = noise_stddev / of_sum_;
  moments.weight_stddev = noise_stddev / of_weight_;
  moments.target_squares_stddev = noise_stddev / of_target_squares_;
  return moments;
}

}  // namespace equinoise
