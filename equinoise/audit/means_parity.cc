// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/means_parity.h"

#include <limits>
#include <utility>

#include "equinoise/base/compensated_sum.h"

namespace equinoise {

namespace {

struct GroupMeans {
  std::vector<double> sizes;  ///< (groups) by weight
  std::vector<double> means;  ///< (groups), 0 of an empty one
  double num_records = 0;
  double overall = 0;
};

GroupMeans means_of(const GroupedColumn& column, size_t num_groups) {
  GroupMeans result;
  result.sizes.resize(num_groups);
  result.means.resize(num_groups);
  std::vector<CompensatedSum> sums(num_groups);
  CompensatedSum total;
  for (size_t i = 0; i < column.values.size(); ++i) {
    if (!column.counts.empty() && column.counts[i] == 0) continue;
    const size_t group = index_of(column.group_of[i]);
    const double weight = column.weights.empty() ? 1 : column.weights[i];
    result.sizes[group] += weight;
    sums[group].add(weight * column.values[i]);
    total.add(weight * column.values[i]);
  }
  for (size_t group = 0; group < num_groups; ++group) {
    result.num_records += result.sizes[group];
    if (result.sizes[group] > 0) result.means[group] = sums[group].value() / result.sizes[group];
  }
  if (result.num_records > 0) result.overall = total.value() / result.num_records;
  return result;
}

}  // namespace

ParityError column_parity(const GroupedColumn& real, const GroupedColumn& synthetic,
                          size_t num_groups, double lower, double upper) {
  GroupMeans truth = means_of(real, num_groups);
  GroupMeans told = means_of(synthetic, num_groups);
  if (truth.num_records == 0) truth.overall = std::numeric_limits<double>::quiet_NaN();
  if (told.num_records == 0) told.overall = (lower + upper) / 2;
  for (size_t group = 0; group < num_groups; ++group)
    if (told.sizes[group] == 0) told.means[group] = told.overall;
  return parity_error(
      {truth.sizes, truth.means, told.means, truth.overall, told.overall, lower, upper});
}

MeansParity means_parity(std::vector<ColumnParity> columns) {
  MeansParity result;
  result.columns = std::move(columns);
  for (size_t i = 0; i < result.columns.size(); ++i) {
    const ParityError& error = result.columns[i].error;
    result.parity_error += error.parity_error / static_cast<double>(result.columns.size());
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
