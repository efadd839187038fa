// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"

namespace equinoise {

namespace {

/// Counts that are kept even of a small table: to count it again takes longer than to read them.
constexpr double kFewBytes = 0x1p26;

double bytes_of(const CodedTable& records) {
  double bytes = static_cast<double>(records.counts.size() * sizeof(uint32_t));
  for (const CodedColumn& column : records.columns) {
    bytes += static_cast<double>(column.narrow.size()) +
             static_cast<double>(column.wide.size() * sizeof(uint16_t));
  }
  return bytes;
}

}  // namespace

std::vector<uint32_t> MarginalSource::count(const std::vector<int>& set) const {
  std::vector<uint32_t> result;
  count({&set, 1}, 1, [&](size_t, std::span<const uint32_t> counts) {
    result.assign(counts.begin(), counts.end());
  });
  return result;
}

void TableMarginals::count(std::span<const std::vector<int>> sets, int threads,
                           const MarginalConsumer& consume) const {
  count_marginals(records_, sets, threads, consume);
}

double KeptMarginals::bytes(const std::vector<size_t>& sizes,
                            std::span<const std::vector<int>> sets) {
  double cells = 0;
  for (const std::vector<int>& set : sets) {
    double own = 1;
    for (const int column : set) own *= static_cast<double>(sizes[static_cast<size_t>(column)]);
    // More than that no marginal has.
    cells += own > static_cast<double>(kMaxMarginalCells) ? HUGE_VAL : own;
  }
  return cells * sizeof(uint32_t);
}

KeptMarginals::KeptMarginals(std::vector<size_t> sizes, std::vector<std::vector<int>> sets)
    : sizes_(std::move(sizes)), sets_(std::move(sets)), counts_(sets_.size()) {
  for (size_t i = 0; i < sets_.size(); ++i) {
    place_of_.emplace(sets_[i], i);
    size_t cells = 1;
    for (const int column : sets_[i]) cells *= sizes_[static_cast<size_t>(column)];
    counts_[i].assign(cells, 0);
  }
}

void KeptMarginals::add(const CodedTable& records, int threads) {
  total_records_ += records.total_records();
  count_marginals(records, sets_, threads, [&](size_t index, std::span<const uint32_t> counts) {
    std::vector<uint32_t>& kept = counts_[index];
    for (size_t cell = 0; cell < counts.size(); ++cell) kept[cell] += counts[cell];
  });
}

void KeptMarginals::count(std::span<const std::vector<int>> sets, int threads,
                          const MarginalConsumer& consume) const {
  for (const std::vector<int>& set : sets) {
    if (place_of_.contains(set)) continue;
    throw Error(ErrorKind::kRuntime, "synth.marginal_source",
                "a marginal was asked for that was not counted; please report this as a bug");
  }
  parallel_for(sets.size(), threads,
               [&](size_t index) { consume(index, counts_[place_of_.at(sets[index])]); });
}

std::unique_ptr<MarginalSource> marginals_of(CodedTable records, std::vector<std::vector<int>> sets,
                                             int threads) {
  if (KeptMarginals::bytes(records.sizes(), sets) > std::max(kFewBytes, bytes_of(records)))
    return std::make_unique<TableMarginals>(std::move(records));
  auto kept = std::make_unique<KeptMarginals>(records.sizes(), std::move(sets));
  kept->add(records, threads);
  return kept;
}

}  // namespace equinoise
