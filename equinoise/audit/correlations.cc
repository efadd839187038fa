// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/correlations.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
    // What rounding leaves of a column with one value.
    constexpr double kConstant = 1e-12;
    const double var_x = xx / weight - x / weight * (x / weight);
    const double var_y = yy / weight - y / weight * (y / weight);
    const double covariance = xy / weight - x / weight * (y / weight);
    if (!(count >= 2 && var_x > kConstant * xx / weight && var_y > kConstant * yy / weight))
      return kNone;
    return std::fmax(-1, std::fmin(1, covariance / std::sqrt(var_x * var_y)));
  }
};

bool has_number(const NumericColumn& column, size_t record) {
  return column.missing.empty() || column.missing[record] == 0;
}

/// The mean of a column, from which numbers are taken before they are squared.
double middle_of(const NumericColumn& column, std::span<const double> weights) {
  double weight = 0;
  double sum = 0;
  for (size_t record = 0; record < weights.size(); ++record) {
    if (!(weights[record] > 0) || !has_number(column, record)) continue;
    weight += weights[record];
    sum += weights[record] * column.values[record];
  }
  return weight > 0 ? sum / weight : 0;
}

}  // namespace

std::vector<PairCorrelations> pair_correlations(const CorrelatedColumns& table, size_t num_groups,
                                                int threads) {
  std::vector<std::pair<size_t, size_t>> pairs;
  std::vector<double> middles;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    middles.push_back(middle_of(*table.columns[i], table.weights));
    for (size_t j = i + 1; j < table.columns.size(); ++j) pairs.emplace_back(i, j);
  }
  const PairCorrelations nothing{std::vector<double>(pairs.size()),
                                 std::vector<int64_t>(pairs.size())};
  std::vector<PairCorrelations> result(num_groups + 1, nothing);
  parallel_for(pairs.size(), threads, [&](size_t pair) {
    const auto [i, j] = pairs[pair];
    const NumericColumn& first = *table.columns[i];
    const NumericColumn& second = *table.columns[j];
    // Without groups all records are in one.
    std::vector<PairSums> sums(std::max<size_t>(1, num_groups));
    for (size_t record = 0; record < table.weights.size(); ++record) {
      const double weight = table.weights[record];
      if (!(weight > 0) || !has_number(first, record) || !has_number(second, record)) continue;
      PairSums& own = sums[num_groups == 0 ? 0 : index_of(table.group_of[record])];
      const double x = first.values[record] - middles[i];
      const double y = second.values[record] - middles[j];
      own.count += 1;
      own.weight += weight;
      own.x += weight * x;
      own.y += weight * y;
      own.xx += weight * x * x;
      own.yy += weight * y * y;
      own.xy += weight * x * y;
    }
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
