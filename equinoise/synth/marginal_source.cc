// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/synth/joint_marginals.h"
#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/synth_progress.h"

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

/// Counts of pooled codes, from those of all codes.
class PooledMarginals final : public MarginalSource {
 public:
  PooledMarginals(const MarginalSource& records, const std::vector<RareValues>& values)
      : records_(records), values_(values) {
    for (const RareValues& attribute : values) sizes_.push_back(attribute.num_codes());
  }

  const std::vector<size_t>& sizes() const override { return sizes_; }
  size_t total_records() const override { return records_.total_records(); }
  void count(std::span<const std::vector<int>> sets, int threads,
             const MarginalConsumer& consume) const override {
    records_.count(sets, threads, [&](size_t index, std::span<const uint32_t> counts) {
      const std::vector<int>& set = sets[index];
      std::vector<std::vector<uint32_t>> moves(set.size());
      size_t cells = 1;
      for (size_t i = set.size(); i-- > 0;) {
        const RareValues& values = values_[static_cast<size_t>(set[i])];
        for (const uint16_t code : values.code_of)
          moves[i].push_back(static_cast<uint32_t>(code * cells));
        cells *= values.num_codes();
      }
      std::vector<uint32_t> pooled(cells);
      add_cells(counts, moves, pooled);
      consume(index, pooled);
    });
  }
  std::unique_ptr<MarginalSource> pooled(const std::vector<RareValues>& values) const override {
    return std::make_unique<PooledMarginals>(*this, values);
  }

 private:
  const MarginalSource& records_;
  const std::vector<RareValues>& values_;
  std::vector<size_t> sizes_;
};

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

/// Pairs of columns with many values that few records have can be counted by pooled codes alone.
std::unique_ptr<MarginalSource> TableMarginals::pooled(
    const std::vector<RareValues>& values) const {
  std::vector<size_t> sizes;
  for (const RareValues& attribute : values) sizes.push_back(attribute.num_codes());
  CodedTable table(sizes);
  table.num_records = records_.num_records;
  table.counts = records_.counts;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t row = 0; row < records_.num_records; ++row)
      table.columns[i].append(values[i].code_of[records_.columns[i].code(row)]);
  }
  return std::make_unique<TableMarginals>(std::move(table));
}

double KeptMarginals::bytes(const std::vector<size_t>& sizes,
                            std::span<const std::vector<int>> sets) {
  double cells = 0;
  for (const std::vector<int>& set : sets) {
    double own = 1;
    for (const int column : set) own *= static_cast<double>(sizes[static_cast<size_t>(column)]);
    // No marginal has more cells than this.
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

void KeptMarginals::add(const CodedTable& records, int threads, const TaskProgress& progress) {
  total_records_ += records.total_records();
  count_marginals(records, sets_, threads, [&](size_t index, std::span<const uint32_t> counts) {
    check_interrupted(progress);
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

std::unique_ptr<MarginalSource> KeptMarginals::pooled(const std::vector<RareValues>& values) const {
  return std::make_unique<PooledMarginals>(*this, values);
}

std::unique_ptr<MarginalSource> marginals_of(CodedTable records, std::vector<std::vector<int>> sets,
                                             int threads, const TaskProgress& progress) {
  if (KeptMarginals::bytes(records.sizes(), sets) > std::max(kFewBytes, bytes_of(records)))
    return std::make_unique<TableMarginals>(std::move(records));
  auto kept = std::make_unique<KeptMarginals>(records.sizes(), std::move(sets));
  kept->add(records, threads, progress);
  return kept;
}

}  // namespace equinoise
