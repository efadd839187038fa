// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/moments.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace equinoise {

namespace {

/// What double precision adds to the norm of a record, relative to it: a few roundings of 2^-53 for
/// each of at most some thousand features.
constexpr double kRounding = 1e-9;

/// Where entry (i, j) of a symmetric matrix stands, which is where (j, i) does.
size_t place_of(size_t i, size_t j, size_t num_features) {
  if (i > j) std::swap(i, j);
  return i * num_features - i * (i + 1) / 2 + j;
}

int64_t cut(double value) { return static_cast<int64_t>(std::trunc(value)); }

}  // namespace

/// The features of a record that are not 0.
struct MomentSums::Row {
  std::vector<uint32_t> places;
  std::vector<double> values;
  double squares = 0;

  void clear() {
    places.clear();
    values.clear();
    squares = 0;
  }
  void add(uint32_t place, double value) {
    if (value == 0) return;
    places.push_back(place);
    values.push_back(value);
    squares += value * value;
  }
};

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

double MomentSums::sensitivity() const { return (1 + kRounding) / grid_; }

void MomentSums::add_record(const EncodedTable& table, int64_t record, Row& row,
                            std::span<int64_t> units) const {
  const double away =
      static_cast<double>(table.targets[static_cast<size_t>(record)]) - bounds_.center;
  const double y = std::clamp(away, -bounds_.target, bounds_.target);
  row.clear();
  const std::span<const float> dense = table.dense_row(record);
  for (uint32_t j = 0; j < dense.size(); ++j) {
    const NumberScale scale = table.scale_of(j);
    row.add(j, (static_cast<double>(dense[j]) - scale.middle) / scale.half_width);
  }
  for (const uint32_t place : table.active_row(record)) row.add(place, 1);
  if (!std::isfinite(row.squares) || !std::isfinite(away)) return;
  if (!shares_.has_slopes()) {
    units[0] += cut(of_target_ * y);
    return;
  }
  const double square = std::min(1.0, bounds_.row * bounds_.row / row.squares);  // w^2
  const size_t p = table.num_features;
  int64_t* const cross = units.data() + p * (p + 1) / 2;
  int64_t* const sum = cross + p;
  int64_t* const rest = sum + p;
  for (size_t a = 0; a < row.places.size(); ++a) {
    const double value = square * row.values[a];
    const double second = of_second_ * value;
    units[place_of(row.places[a], row.places[a], p)] += cut(second * row.values[a]);
    for (size_t b = a + 1; b < row.places.size(); ++b)
      units[place_of(row.places[a], row.places[b], p)] +=
          cut(std::numbers::sqrt2 * second * row.values[b]);
    cross[row.places[a]] += cut(of_cross_ * value * y);
    sum[row.places[a]] += cut(of_sum_ * value);
  }
  rest[0] += cut(of_weight_ * square);
  rest[1] += cut(of_target_ * square * y);
  rest[2] += cut(of_target_squares_ * square * y * y);
}

std::vector<int64_t> MomentSums::sum_up(const EncodedTable& table) const {
  std::vector<int64_t> units(num_entries(table.num_features, shares_), 0);
  Row row;
  for (int64_t record = 0; record < table.num_records; ++record) {
    if (table.contributes[static_cast<size_t>(record)] != 0) add_record(table, record, row, units);
  }
  return units;
}

std::vector<int64_t> MomentSums::sum_up_groups(const EncodedTable& table, size_t num_groups) const {
  const size_t size = num_entries(table.num_features, shares_);
  std::vector<int64_t> units(num_groups * size, 0);
  Row row;
  for (int64_t record = 0; record < table.num_records; ++record) {
    const size_t group = index_of(table.groups[static_cast<size_t>(record)]);
    if (table.contributes[static_cast<size_t>(record)] != 0 && group < num_groups)
      add_record(table, record, row, std::span(units).subspan(group * size, size));
  }
  return units;
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
      moments.second(row, column) = unit(place_of(i, j, p)) / times;
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
