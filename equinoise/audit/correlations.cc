// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/correlations.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/fixed_point.h"
#include "equinoise/base/parallel.h"

namespace equinoise {

namespace {

/// Sums over the records of a group that have both numbers.
struct PairSums {
  int64_t count = 0;
  double weight = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double yy = 0;
  double xy = 0;

  void add(const PairSums& other) {
    count += other.count;
    weight += other.weight;
    x += other.x;
    y += other.y;
    xx += other.xx;
    yy += other.yy;
    xy += other.xy;
  }

  double correlation() const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    // The rounding error of the variance of a column with one value, relative to its mean square.
    constexpr double kConstant = 1e-12;
    const double var_x = xx / weight - x / weight * (x / weight);
    const double var_y = yy / weight - y / weight * (y / weight);
    const double covariance = xy / weight - x / weight * (y / weight);
    if (!(count >= 2 && var_x > kConstant * xx / weight && var_y > kConstant * yy / weight))
      return kNone;
    return std::fmax(-1, std::fmin(1, covariance / std::sqrt(var_x * var_y)));
  }
};

double weight_at(const CorrelatedColumns& table, size_t row) {
  return table.weights.empty() ? 1 : table.weights[row];
}

/// The group of a row; without groups all rows are in group 0.
size_t group_at(const CorrelatedColumns& table, size_t row) {
  return table.group_of.empty() ? 0 : index_of(table.group_of[row]);
}

/// The distances of a column's numbers from their mean. Each group has its own unit, near the
/// largest distance there.
class CentredColumn {
 public:
  CentredColumn(const CorrelatedColumns& table, const NumericColumn& column, size_t num_groups)
      : column_(column), units_(num_groups) {
    double largest = 0;
    for_each(table, [&](size_t row) {
      largest = std::max(largest, std::abs(weight_at(table, row) * column.values[row]));
    });
    const FixedPoint scale(largest);
    Int128 sum = 0;
    double largest_weight = 0;
    for_each(table, [&](size_t row) {
      largest_weight = std::max(largest_weight, weight_at(table, row));
      sum += scale.units(weight_at(table, row) * column.values[row], table.counts[row]);
    });
    const FixedPoint scale_of_weights(largest_weight);
    Int128 weight = 0;
    for_each(table, [&](size_t row) {
      weight += scale_of_weights.units(weight_at(table, row), table.counts[row]);
    });
    mean_ = weight > 0 ? scale.value(sum) / scale_of_weights.value(weight) : 0;
    for_each(table, [&](size_t row) {
      double& unit = units_[group_at(table, row)];
      unit = std::max(unit, std::abs(column.values[row] - mean_));
    });
    for (double& unit : units_) unit = power_of_two_below(unit);
  }

  bool has(size_t row) const { return column_.missing.empty() || column_.missing[row] == 0; }
  double unit(size_t group) const { return units_[group]; }
  /// Less than 2 in size.
  double at(size_t row, size_t group) const {
    return (column_.values[row] - mean_) / units_[group];
  }

 private:
  template <typename Take>
  void for_each(const CorrelatedColumns& table, const Take& take) const {
    for (size_t row = 0; row < table.counts.size(); ++row)
      if (table.counts[row] > 0 && has(row)) take(row);
  }

  const NumericColumn& column_;
  double mean_ = 0;
  std::vector<double> units_;  // (groups)
};

/// Exact sums, in units of the columns.
struct ExactSums {
  int64_t count = 0;
  Int128 weight = 0;
  Int128 x = 0;
  Int128 y = 0;
  Int128 xx = 0;
  Int128 yy = 0;
  Int128 xy = 0;

  PairSums in_own_units(const FixedPoint& scale, double unit_x, double unit_y) const {
    return {count,
            scale.value(weight),
            scale.value(x) * unit_x,
            scale.value(y) * unit_y,
            scale.value(xx) * unit_x * unit_x,
            scale.value(yy) * unit_y * unit_y,
            scale.value(xy) * unit_x * unit_y};
  }
};

}  // namespace

std::vector<PairCorrelations> pair_correlations(const CorrelatedColumns& table, size_t num_groups,
                                                int threads) {
  const size_t num_parts = std::max<size_t>(1, num_groups);
  std::vector<std::pair<size_t, size_t>> pairs;
  std::vector<CentredColumn> columns;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    columns.emplace_back(table, *table.columns[i], num_parts);
    for (size_t j = i + 1; j < table.columns.size(); ++j) pairs.emplace_back(i, j);
  }
  double largest_weight = 1;
  for (const double weight : table.weights) largest_weight = std::max(largest_weight, weight);
  const FixedPoint scale(4 * largest_weight);
  const PairCorrelations nothing{std::vector<double>(pairs.size()),
                                 std::vector<int64_t>(pairs.size())};
  std::vector<PairCorrelations> result(num_groups + 1, nothing);
  parallel_for(pairs.size(), threads, [&](size_t pair) {
    const CentredColumn& first = columns[pairs[pair].first];
    const CentredColumn& second = columns[pairs[pair].second];
    std::vector<ExactSums> exact(num_parts);
    for (size_t row = 0; row < table.counts.size(); ++row) {
      const uint32_t count = table.counts[row];
      if (count == 0 || !first.has(row) || !second.has(row)) continue;
      const size_t group = group_at(table, row);
      ExactSums& own = exact[group];
      const double weight = weight_at(table, row);
      const double x = first.at(row, group);
      const double y = second.at(row, group);
      own.count += count;
      own.weight += scale.units(weight, count);
      own.x += scale.units(weight * x, count);
      own.y += scale.units(weight * y, count);
      own.xx += scale.units(weight * x * x, count);
      own.yy += scale.units(weight * y * y, count);
      own.xy += scale.units(weight * x * y, count);
    }
    std::vector<PairSums> sums;
    for (size_t group = 0; group < num_parts; ++group)
      sums.push_back(exact[group].in_own_units(scale, first.unit(group), second.unit(group)));
    const auto tell = [&](const PairSums& told, PairCorrelations& of_group) {
      of_group.values[pair] = told.correlation();
      of_group.num_records[pair] = told.count;
    };
    PairSums all;
    for (size_t group = 0; group < sums.size(); ++group) {
      all.add(sums[group]);
      if (group < num_groups) tell(sums[group], result[group]);
    }
    tell(all, result[num_groups]);
  });
  return result;
}

CorrelationError correlation_error(std::span<const double> truth, std::span<const double> told) {
  CorrelationError error;
  double sum = 0;
  for (size_t pair = 0; pair < truth.size(); ++pair) {
    if (std::isnan(truth[pair])) continue;
    if (std::isnan(told[pair])) {
      ++error.num_undefined;
      continue;
    }
    const double difference = std::abs(told[pair] - truth[pair]);
    ++error.num_pairs;
    sum += difference;
    if (error.num_pairs > 1 && !(difference > error.largest)) continue;
    error.largest = difference;
    error.worst_pair = pair;
  }
  if (error.num_pairs > 0) error.mean = sum / static_cast<double>(error.num_pairs);
  return error;
}

}  // namespace equinoise
