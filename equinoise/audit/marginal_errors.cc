// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/marginal_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "equinoise/audit/marginal_parity.h"
#include "equinoise/base/lists.h"
#include "equinoise/synth/marginal_counts.h"

namespace equinoise {

namespace {

/// (rows) The number of records of each row.
std::vector<uint32_t> counts_of(const CodedTable& table) {
  return table.counts.empty() ? std::vector<uint32_t>(table.num_records, 1) : table.counts;
}

/// The same rows with the counts `counts`; those of 0 are left out.
OwnedTable counted_by(const WeighedTable& weighed, std::span<const uint32_t> counts) {
  OwnedTable result{CodedTable(weighed.table.sizes()), {}};
  for (const uint32_t count : counts)
    if (count > 0) result.table.counts.push_back(count);
  result.table.num_records = result.table.counts.size();
  for (size_t i = 0; i < weighed.table.columns.size(); ++i)
    for (size_t row = 0; row < counts.size(); ++row)
      if (counts[row] > 0) result.table.columns[i].append(weighed.table.columns[i].code(row));
  for (size_t row = 0; row < weighed.weights.size(); ++row)
    if (counts[row] > 0) result.weights.push_back(weighed.weights[row]);
  return result;
}

/// (sets) The mean distance of bootstraps of a table from it; NaN without records.
std::vector<double> bootstrap_distances(const WeighedTable& real, std::span<const uint32_t> units,
                                        std::span<const std::vector<int>> sets, int threads) {
  std::vector<double> means(sets.size());
  const std::vector<uint32_t> counts = counts_of(real.table);
  for (int draw = 0; draw < kNumBootstraps; ++draw) {
    const OwnedTable bootstrap = counted_by(real, bootstrap_counts(counts, draw, units));
    const std::vector<double> distances =
        marginal_distances(real, bootstrap.with_gaps({}), sets, threads);
    for (size_t i = 0; i < sets.size(); ++i) means[i] += distances[i] / kNumBootstraps;
  }
  return means;
}

/// (sets) The distance of one random half of a table from the other.
std::vector<double> half_distances(const WeighedTable& real, std::span<const uint32_t> units,
                                   std::span<const std::vector<int>> sets, int threads) {
  const Halves halves = half_counts(counts_of(real.table), units);
  const OwnedTable one = counted_by(real, halves.first);
  const OwnedTable other = counted_by(real, halves.second);
  return marginal_distances(one.with_gaps(real.gaps), other.with_gaps({}), sets, threads);
}

}  // namespace

MarginalErrors marginal_errors(const WeighedTable& real, const WeighedTable& synthetic,
                               std::span<const std::vector<int>> sets,
                               const std::vector<std::string>& names, int threads,
                               std::span<const uint32_t> real_units) {
  // Sets of fewer columns come first; the following ones all have the same degree.
  std::vector<std::vector<int>> all;
  const auto num_columns = static_cast<int>(real.table.columns.size());
  const int degree = static_cast<int>(sets.front().size());
  std::vector<size_t> begins = {0};
  for (int fewer = 1; fewer < degree; ++fewer) {
    for (std::vector<int>& set : sets_of_degree(num_columns, fewer)) all.push_back(std::move(set));
    begins.push_back(all.size());
  }
  const size_t begin = all.size();
  append(all, sets);
  begins.push_back(all.size());
  std::vector<double> errors(all.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> bootstraps = errors;
  std::vector<double> halves = errors;
  if (real.table.num_records > 0) {
    errors = marginal_distances(real, synthetic, all, threads);
    bootstraps = bootstrap_distances(real, real_units, all, threads);
    halves = half_distances(real, real_units, all, threads);
  }
  const auto error_of = [&](size_t i) {
    MarginalError error{{}, {errors[i], bootstraps[i], halves[i]}};
    for (const int column : all[i]) error.columns.push_back(names[static_cast<size_t>(column)]);
    return error;
  };

  MarginalErrors result;
  for (size_t d = 0; d + 1 < begins.size(); ++d) {
    const size_t count = begins[d + 1] - begins[d];
    const auto mean_of = [&](const std::vector<double>& distances) {
      return workload_error(std::span(distances).subspan(begins[d], count));
    };
    result.degrees.push_back({static_cast<int64_t>(d) + 1,
                              static_cast<int64_t>(count),
                              {mean_of(errors), mean_of(bootstraps), mean_of(halves)}});
  }
  for (size_t i = 0; i < begins[1]; ++i) result.columns.push_back(error_of(i));
  std::vector<size_t> order(sets.size());
  std::iota(order.begin(), order.end(), begin);
  std::erase_if(order, [&](size_t i) { return std::isnan(errors[i]); });
  const size_t num_kept = std::min(order.size(), kMaxLargestMarginals);
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(num_kept), order.end(),
      [&](size_t a, size_t b) { return errors[a] != errors[b] ? errors[a] > errors[b] : a < b; });
  for (size_t i = 0; i < num_kept; ++i) result.largest.push_back(error_of(order[i]));
  return result;
}

std::vector<MarginalErrors> group_marginal_errors(
    const WeighedTable& real, std::span<const GroupId> real_groups, const WeighedTable& synthetic,
    std::span<const GroupId> synthetic_groups, size_t num_groups,
    std::span<const std::vector<int>> sets, const std::vector<std::string>& names, int threads,
    std::span<const uint32_t> real_units) {
  const std::vector<OwnedTable> truth = split_by_group(real, real_groups, num_groups);
  const std::vector<OwnedTable> told = split_by_group(synthetic, synthetic_groups, num_groups);
  std::vector<MarginalErrors> groups;
  for (size_t group = 0; group < num_groups; ++group) {
    std::vector<uint8_t> is_member;
    for (const GroupId own : real_groups) is_member.push_back(index_of(own) == group ? 1 : 0);
    groups.push_back(marginal_errors(truth[group].with_gaps(real.gaps), told[group].with_gaps({}),
                                     sets, names, threads, units_of_kept(real_units, is_member)));
  }
  return groups;
}

}  // namespace equinoise
