// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/marginal_parity.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace equinoise {

std::vector<CodedTable> split_by_group(const CodedTable& table, std::span<const GroupId> group_of,
                                       size_t num_groups) {
  std::vector<CodedTable> groups(num_groups, CodedTable(table.sizes()));
  for (size_t record = 0; record < table.num_records; ++record)
    ++groups[index_of(group_of[record])].num_records;
  for (size_t row = 0; row < table.counts.size(); ++row)
    groups[index_of(group_of[row])].counts.push_back(table.counts[row]);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    for (size_t record = 0; record < table.num_records; ++record)
      groups[index_of(group_of[record])].columns[i].append(table.columns[i].code(record));
  }
  return groups;
}

std::vector<std::vector<double>> split_weights(std::span<const double> weights,
                                               std::span<const GroupId> group_of,
                                               size_t num_groups) {
  std::vector<std::vector<double>> groups(num_groups);
  for (size_t record = 0; record < weights.size(); ++record)
    groups[index_of(group_of[record])].push_back(weights[record]);
  return groups;
}

MarginalParity marginal_parity(double population, std::vector<std::optional<double>> groups) {
  MarginalParity result{.population = population, .groups = std::move(groups), .printed = {}};
  std::vector<double> distances;
  for (const std::optional<double>& distance : result.groups)
    if (distance) distances.push_back(*distance);
  result.printed = {result.population, std::accumulate(distances.begin(), distances.end(), 0.0)};
  result.parity_error = result.population;
  if (distances.empty()) return result;
  for (const double distance : distances) result.parity_error += distance;
  result.parity_error /= static_cast<double>(distances.size() + 1);
  const auto [least, most] = std::ranges::minmax_element(distances);
  result.largest_group = *most;
  if (distances.size() > 1) result.largest_difference = *most - *least;
  return result;
}

MarginalParity marginal_parity(const WeighedTable& real, std::span<const GroupId> real_groups,
                               const WeighedTable& synthetic,
                               std::span<const GroupId> synthetic_groups, size_t num_groups,
                               std::span<const std::vector<int>> sets, int threads) {
  const std::vector<CodedTable> truth = split_by_group(real.table, real_groups, num_groups);
  const std::vector<CodedTable> told =
      split_by_group(synthetic.table, synthetic_groups, num_groups);
  const auto truth_weights = split_weights(real.weights, real_groups, num_groups);
  const auto told_weights = split_weights(synthetic.weights, synthetic_groups, num_groups);
  std::vector<std::optional<double>> groups(num_groups);
  for (size_t group = 0; group < num_groups; ++group) {
    if (truth[group].num_records == 0) continue;
    groups[group] =
        workload_error(marginal_distances({truth[group], truth_weights[group], real.gaps},
                                          {told[group], told_weights[group]}, sets, threads));
  }
  return marginal_parity(workload_error(marginal_distances(real, synthetic, sets, threads)),
                         std::move(groups));
}

}  // namespace equinoise
