// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/means_parity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "equinoise/base/fixed_point.h"

namespace equinoise {

GroupMeans group_means(const GroupedColumn& column, size_t num_groups) {
  const auto for_each = [&](const auto& take) {
    for (size_t row = 0; row < column.values.size(); ++row) {
      const uint32_t count = column.counts.empty() ? 1 : column.counts[row];
      const double weight = column.weights.empty() ? 1 : column.weights[row];
      if (count > 0) take(index_of(column.group_of[row]), count, weight, column.values[row]);
    }
  };
  double largest_weight = 0;
  double largest_term = 0;
  for_each([&](size_t, uint32_t, double weight, double value) {
    largest_weight = std::max(largest_weight, weight);
    largest_term = std::max(largest_term, std::fabs(weight * value));
  });
  const FixedPoint weights(largest_weight);
  const FixedPoint terms(largest_term);
  GroupMeans result;
  result.num_records.resize(num_groups);
  std::vector<Int128> sizes(num_groups);
  std::vector<Int128> sums(num_groups);
  for_each([&](size_t group, uint32_t count, double weight, double value) {
    result.num_records[group] += count;
    sizes[group] += weights.units(weight, count);
    sums[group] += terms.units(weight * value, count);
  });
  const auto mean = [&](Int128 sum, Int128 size) {
    return size > 0 ? terms.value(sum) / weights.value(size)
                    : std::numeric_limits<double>::quiet_NaN();
  };
  for (size_t group = 0; group < num_groups; ++group) {
    result.sizes.push_back(weights.value(sizes[group]));
    result.means.push_back(mean(sums[group], sizes[group]));
  }
  result.overall = mean(std::accumulate(sums.begin(), sums.end(), Int128{0}),
                        std::accumulate(sizes.begin(), sizes.end(), Int128{0}));
  return result;
}

ParityError column_parity(const GroupMeans& real, const GroupMeans& synthetic, double lower,
                          double upper) {
  std::vector<double> told = synthetic.means;
  const double overall = std::isnan(synthetic.overall) ? (lower + upper) / 2 : synthetic.overall;
  for (size_t group = 0; group < told.size(); ++group)
    if (synthetic.num_records[group] == 0) told[group] = overall;
  return parity_error({real.sizes, real.means, told, real.overall, overall, lower, upper});
}

ParityError column_parity(const GroupedColumn& real, const GroupedColumn& synthetic,
                          size_t num_groups, double lower, double upper) {
  return column_parity(group_means(real, num_groups), group_means(synthetic, num_groups), lower,
                       upper);
}

MeansParity means_parity(std::vector<ColumnParity> columns) {
  MeansParity result;
  result.columns = std::move(columns);
  result.printed.emplace();
  const auto num_columns = static_cast<double>(result.columns.size());
  for (size_t i = 0; i < result.columns.size(); ++i) {
    const ParityError& error = result.columns[i].error;
    result.parity_error += error.parity_error / num_columns;
    if (!error.printed) {
      result.printed.reset();
    } else if (result.printed) {
      result.printed->population += error.printed->population / num_columns;
      result.printed->group_sum += error.printed->group_sum / num_columns;
    }
    for (size_t group = 0; group < error.relative_errors.size(); ++group) {
      const std::optional<double>& disparity = error.relative_errors[group];
      if (!disparity || *disparity <= result.largest_disparity) continue;
      result.largest_disparity = *disparity;
      result.worst_column = i;
      result.worst_group = group;
    }
  }
  return result;
}

}  // namespace equinoise
