// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/marginal_parity.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace equinoise {

std::vector<OwnedTable> split_by_group(const WeighedTable& rows, std::span<const GroupId> group_of,
                                       size_t num_groups) {
  const CodedTable& table = rows.table;
  std::vector<OwnedTable> groups(num_groups, OwnedTable{CodedTable(table.sizes())});
  for (size_t row = 0; row < table.num_records; ++row) {
    OwnedTable& own = groups[index_of(group_of[row])];
    ++own.table.num_records;
    if (!table.counts.empty()) own.table.counts.push_back(table.counts[row]);
    if (!rows.weights.empty()) own.weights.push_back(rows.weights[row]);
    for (size_t i = 0; i < table.columns.size(); ++i)
      own.table.columns[i].append(table.columns[i].code(row));
  }
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
  const std::vector<OwnedTable> truth = split_by_group(real, real_groups, num_groups);
  const std::vector<OwnedTable> told = split_by_group(synthetic, synthetic_groups, num_groups);
  std::vector<std::optional<double>> groups(num_groups);
  for (size_t group = 0; group < num_groups; ++group) {
    if (truth[group].table.num_records == 0) continue;
    groups[group] = workload_error(marginal_distances(truth[group].with_gaps(real.gaps),
                                                      told[group].with_gaps({}), sets, threads));
  }
  return marginal_parity(workload_error(marginal_distances(real, synthetic, sets, threads)),
                         std::move(groups));
}

}  // namespace equinoise
