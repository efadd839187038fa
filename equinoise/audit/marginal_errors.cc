// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/marginal_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "equinoise/audit/marginal_parity.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/random/uniform.h"

namespace equinoise {

namespace {

constexpr uint64_t kBootstrapSeed = 20260101;

/// A table of its own, with the weights of its records or none.
struct OwnedTable {
  CodedTable table;
  std::vector<double> weights;
};

/// As many records of the table as it has, drawn with replacement.
OwnedTable draw_bootstrap(const WeighedTable& weighed, RandomSource& source) {
  const size_t num_records = weighed.table.num_records;
  std::vector<size_t> drawn(num_records);
  for (size_t& record : drawn)
    record = static_cast<size_t>(uniform_fraction(source) * static_cast<double>(num_records));
  OwnedTable result{CodedTable(weighed.table.sizes()), {}};
  result.table.num_records = num_records;
  for (size_t i = 0; i < weighed.table.columns.size(); ++i)
    for (const size_t record : drawn)
      result.table.columns[i].append(weighed.table.columns[i].code(record));
  if (!weighed.weights.empty())
    for (const size_t record : drawn) result.weights.push_back(weighed.weights[record]);
  return result;
}

/// (sets) The mean distance of bootstraps of a table from it; NaN of one without records.
std::vector<double> bootstrap_distances(const WeighedTable& real,
                                        std::span<const std::vector<int>> sets, int threads) {
  std::vector<double> means(sets.size());
  SeededSource source(kBootstrapSeed);
  for (int draw = 0; draw < kNumBootstraps; ++draw) {
    source.start_step(static_cast<uint64_t>(draw));
    const OwnedTable bootstrap = draw_bootstrap(real, source);
    const std::vector<double> distances =
        marginal_distances(real, {bootstrap.table, bootstrap.weights}, sets, threads);
    for (size_t i = 0; i < sets.size(); ++i) means[i] += distances[i] / kNumBootstraps;
  }
  return means;
}

}  // namespace

MarginalErrors marginal_errors(const WeighedTable& real, const WeighedTable& synthetic,
                               std::span<const std::vector<int>> sets, int threads) {
  std::vector<std::vector<int>> all(sets.begin(), sets.end());
  for (size_t i = 0; i < real.table.columns.size(); ++i) all.push_back({static_cast<int>(i)});
  const std::vector<double> errors = marginal_distances(real, synthetic, all, threads);
  const std::vector<double> yardsticks = bootstrap_distances(real, all, threads);
  const auto error_of = [&](size_t i) { return MarginalError{all[i], errors[i], yardsticks[i]}; };

  MarginalErrors result;
  result.workload_error = workload_error(std::span(errors).first(sets.size()));
  result.bootstrap = workload_error(std::span(yardsticks).first(sets.size()));
  for (size_t i = sets.size(); i < all.size(); ++i) result.columns.push_back(error_of(i));
  if (real.table.num_records == 0) return result;
  std::vector<size_t> order(sets.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t num_kept = std::min(order.size(), kMaxLargestMarginals);
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(num_kept), order.end(),
      [&](size_t a, size_t b) { return errors[a] != errors[b] ? errors[a] > errors[b] : a < b; });
  for (size_t i = 0; i < num_kept; ++i) result.largest.push_back(error_of(order[i]));
  return result;
}

std::vector<std::optional<MarginalErrors>> group_marginal_errors(
    const WeighedTable& real, std::span<const GroupId> real_groups, const WeighedTable& synthetic,
    std::span<const GroupId> synthetic_groups, size_t num_groups,
    std::span<const std::vector<int>> sets, int threads) {
  const std::vector<CodedTable> truth = split_by_group(real.table, real_groups, num_groups);
  const std::vector<CodedTable> told =
      split_by_group(synthetic.table, synthetic_groups, num_groups);
  const auto truth_weights = split_weights(real.weights, real_groups, num_groups);
  const auto told_weights = split_weights(synthetic.weights, synthetic_groups, num_groups);
  std::vector<std::optional<MarginalErrors>> groups(num_groups);
  for (size_t group = 0; group < num_groups; ++group) {
    if (truth[group].num_records == 0) continue;
    groups[group] = marginal_errors({truth[group], truth_weights[group]},
                                    {told[group], told_weights[group]}, sets, threads);
  }
  return groups;
}

}  // namespace equinoise
