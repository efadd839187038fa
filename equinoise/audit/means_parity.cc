// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/means_parity.h"

#include <cmath>
#include <limits>
#include <utility>

#include "equinoise/base/compensated_sum.h"

namespace equinoise {

GroupMeans group_means(const GroupedColumn& column, size_t num_groups) {
  GroupMeans result;
  result.num_records.resize(num_groups);
  result.sizes.resize(num_groups);
  std::vector<CompensatedSum> sums(num_groups);
  CompensatedSum total;
  for (size_t i = 0; i < column.values.size(); ++i) {
    if (!column.counts.empty() && column.counts[i] == 0) continue;
    const size_t group = index_of(column.group_of[i]);
    const double weight = column.weights.empty() ? 1 : column.weights[i];
    ++result.num_records[group];
    result.sizes[group] += weight;
    sums[group].add(weight * column.values[i]);
    total.add(weight * column.values[i]);
  }
  const auto mean = [](const CompensatedSum& sum, double size) {
    return size > 0 ? sum.value() / size : std::numeric_limits<double>::quiet_NaN();
  };
  double size = 0;
  for (size_t group = 0; group < num_groups; ++group) {
    size += result.sizes[group];
    result.means.push_back(mean(sums[group], result.sizes[group]));
  }
  result.overall = mean(total, size);
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
