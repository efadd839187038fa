// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/mean_records.h"

#include <span>
#include <utility>

#include "equinoise/audit/means_parity.h"

namespace equinoise {

namespace {

/// Takes records whose cell a rule of the schema drops out of all strata.
void leave_out(const std::vector<uint8_t>& dropped, uint32_t none, std::vector<uint32_t>& strata) {
  for (size_t i = 0; i < dropped.size(); ++i)
    if (dropped[i] != 0) strata[i] = none;
}

/// The weights of records as shares of the largest; a missing weight is 0.
std::vector<double> shares_of_largest(const NumericColumn& column, double largest) {
  std::vector<double> shares;
  for (size_t i = 0; i < column.values.size(); ++i) {
    const bool is_missing = (!column.missing.empty() && column.missing[i] != 0) ||
                            (!column.dropped.empty() && column.dropped[i] != 0);
    shares.push_back(is_missing ? 0 : column.values[i] / largest);
  }
  return shares;
}

/// Adds a column of numbers, or the codes of categories or of [groups.NAME], and who has a value
/// there; or, without a name, all records.
void add_column(const Dataset& dataset, const Schema& schema, const std::string& name,
                MeanRecords& columns) {
  if (name.empty()) {
    // One cell of all records: any numbers do.
    columns.records.columns.emplace_back(columns.weights);
    columns.strata_of_values.emplace_back();
    columns.records.strata_of_values.emplace_back();
    return;
  }
  const auto num_strata = static_cast<uint32_t>(columns.records.num_strata);
  std::vector<uint32_t>& strata = columns.strata_of_values.emplace_back();
  const auto leave_out_cells = [&](const std::vector<uint8_t>& cells) {
    if (cells.empty()) return;
    if (strata.empty()) strata = columns.strata;
    leave_out(cells, num_strata, strata);
  };
  if (const NumericColumn* numeric = dataset.find_numeric(name)) {
    columns.records.columns.emplace_back(numeric->values);
    leave_out_cells(numeric->missing);
    leave_out_cells(numeric->dropped);
  } else {
    std::vector<double>& codes = columns.codes.emplace_back();
    for (const GroupId group : group_by(dataset, schema, {name}).group_of)
      codes.push_back(static_cast<double>(index_of(group)));
    columns.records.columns.emplace_back(codes);
    leave_out_cells(without_group(dataset, schema, {name}));
  }
  columns.records.strata_of_values.emplace_back(strata);
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
  if (setup.record_weights) {
    columns.weights = shares_of_largest(*dataset.find_numeric(setup.record_weights->column),
                                        setup.record_weights->largest);
    columns.records.weights = columns.weights;
  }
  const MeansQuestion& question = setup.plan.question;
  columns.strata_of_values.reserve(question.columns.size() + question.counted.size());
  columns.codes.reserve(question.counted.size());
  for (const MeanColumn& column : question.columns)
    add_column(dataset, setup.schema, column.name, columns);
  for (const CellColumn& column : question.counted)
    add_column(dataset, setup.schema, column.name, columns);
  return columns;
}

ExactMeans exact_means(const MeanRecords& columns, size_t column) {
  const std::span<const uint32_t> strata = columns.records.strata_for(column);
  std::vector<GroupId> groups;
  std::vector<uint32_t> counts;
  groups.reserve(strata.size());
  counts.reserve(strata.size());
  for (size_t i = 0; i < strata.size(); ++i) {
    const bool is_counted = strata[i] < columns.records.num_strata &&
                            (columns.weights.empty() || columns.weights[i] > 0);
    groups.push_back(GroupId{strata[i]});
    counts.push_back(is_counted ? static_cast<uint32_t>(columns.records.count_of(i)) : 0);
  }
  GroupMeans means = group_means({columns.records.columns[column], groups, counts, columns.weights},
                                 columns.records.num_strata);
  return {means.overall, std::move(means.means), std::move(means.sizes),
          std::move(means.num_records)};
}

}  // namespace equinoise
