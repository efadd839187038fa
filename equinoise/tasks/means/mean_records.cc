// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/mean_records.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "equinoise/base/compensated_sum.h"

namespace equinoise {

namespace {

/// Takes records whose cell a rule of the schema drops out of all strata.
void leave_out(const std::vector<uint8_t>& dropped, uint32_t none, std::vector<uint32_t>& strata) {
  for (size_t i = 0; i < dropped.size(); ++i)
    if (dropped[i] != 0) strata[i] = none;
}

/// What records count for; a missing weight is none.
std::vector<double> shares_of_largest(const NumericColumn& column, double largest) {
  std::vector<double> shares;
  for (size_t i = 0; i < column.values.size(); ++i) {
    const bool is_missing = (!column.missing.empty() && column.missing[i] != 0) ||
                            (!column.dropped.empty() && column.dropped[i] != 0);
    shares.push_back(is_missing ? 0 : column.values[i] / largest);
  }
  return shares;
}

}  // namespace

MeanRecords read_mean_records(const Dataset& dataset, const MeansSetup& setup,
                              const MeansRequest& request) {
  MeanRecords columns;
  const auto num_strata = static_cast<uint32_t>(setup.names.size());
  columns.strata.assign(static_cast<size_t>(dataset.num_records), 0);
  if (!request.by.empty()) {
    const Grouping grouping = group_by(dataset, setup.schema, request.by, request.group_floor);
    for (size_t i = 0; i < columns.strata.size(); ++i)
      columns.strata[i] = index_of(grouping.group_of[i]);
  }
  leave_out(without_group(dataset, setup.schema, request.by), num_strata, columns.strata);
  const std::vector<double>& sizes = setup.plan.question.sizes;
  for (uint32_t& stratum : columns.strata) {
    if (stratum < num_strata && !sizes.empty() && sizes[stratum] == 0) stratum = num_strata;
  }
  columns.records.num_records = columns.strata.size();
  columns.records.num_strata = num_strata;
  columns.records.strata = columns.strata;
  columns.records.counts = dataset.row_counts;
  columns.strata_of_values.resize(request.columns.size());
  for (size_t j = 0; j < request.columns.size(); ++j) {
    const NumericColumn& column = *dataset.find_numeric(request.columns[j]);
    columns.records.columns.emplace_back(column.values);
    std::vector<uint32_t>& strata = columns.strata_of_values[j];
    if (!column.missing.empty() || !column.dropped.empty()) {
      strata = columns.strata;
      leave_out(column.missing, num_strata, strata);
      leave_out(column.dropped, num_strata, strata);
    }
    columns.records.strata_of_values.emplace_back(strata);
  }
  if (setup.record_weights) {
    columns.weights = shares_of_largest(*dataset.find_numeric(setup.record_weights->column),
                                        setup.record_weights->largest);
    columns.records.weights = columns.weights;
  }
  return columns;
}

ExactMeans exact_means(const MeanRecords& columns, size_t column) {
  const size_t num_strata = columns.records.num_strata;
  ExactMeans means;
  means.sizes.assign(num_strata, 0.0);
  means.num_values.assign(num_strata, 0);
  std::vector<CompensatedSum> sums(num_strata);
  CompensatedSum total;
  const std::span<const uint32_t> strata = columns.records.strata_for(column);
  for (size_t i = 0; i < strata.size(); ++i) {
    const uint32_t k = strata[i];
    if (k >= num_strata) continue;
    const int64_t count = columns.records.count_of(i);
    const double weight =
        static_cast<double>(count) * (columns.weights.empty() ? 1 : columns.weights[i]);
    if (weight == 0) continue;
    sums[k].add(weight * columns.records.columns[column][i]);
    total.add(weight * columns.records.columns[column][i]);
    means.sizes[k] += weight;
    means.num_values[k] += count;
  }
  means.overall = total.value() / std::accumulate(means.sizes.begin(), means.sizes.end(), 0.0);
  for (size_t k = 0; k < num_strata; ++k) means.strata.push_back(sums[k].value() / means.sizes[k]);
  return means;
}

}  // namespace equinoise
