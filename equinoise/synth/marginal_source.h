// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/synth/coded_table.h"
#include "equinoise/synth/marginal_counts.h"

namespace equinoise {

struct RareValues;

/// The counts of a table's marginals, for synthesizers. Sensitive: only ever an argument.
/// marginal_counts.h states the change by one record.
class MarginalSource {
 public:
  virtual ~MarginalSource() = default;

  /// The number of values of each attribute.
  virtual const std::vector<size_t>& sizes() const = 0;

  virtual size_t total_records() const = 0;

  /// Hands over the counts of `sets`, as count_marginals does. Errors: those of count_marginals;
  /// kRuntime for a set that was not counted before the records were discarded.
  virtual void count(std::span<const std::vector<int>> sets, int threads,
                     const MarginalConsumer& consume) const = 0;

  /// The counts of one set.
  std::vector<uint32_t> count(const std::vector<int>& set) const;

  /// The same records with the pooled codes of each attribute, (attributes) values. The result
  /// keeps references to this and to `values`.
  virtual std::unique_ptr<MarginalSource> pooled(const std::vector<RareValues>& values) const = 0;
};

/// Counts records on each request.
class TableMarginals final : public MarginalSource {
 public:
  explicit TableMarginals(CodedTable records)
      : records_(std::move(records)), sizes_(records_.sizes()) {}

  const std::vector<size_t>& sizes() const override { return sizes_; }
  size_t total_records() const override { return records_.total_records(); }
  void count(std::span<const std::vector<int>> sets, int threads,
             const MarginalConsumer& consume) const override;
  using MarginalSource::count;
  std::unique_ptr<MarginalSource> pooled(const std::vector<RareValues>& values) const override;

 private:
  CodedTable records_;
  std::vector<size_t> sizes_;
};

/// The counts of marginals that were named beforehand. Records are added block by block and not
/// kept.
class KeptMarginals final : public MarginalSource {
 public:
  /// The memory of these counts. It exceeds any real amount if a set cannot be counted.
  static double bytes(const std::vector<size_t>& sizes, std::span<const std::vector<int>> sets);

  KeptMarginals(std::vector<size_t> sizes, std::vector<std::vector<int>> sets);

  /// Adds records. Pre: they have the same attributes; together with all before at most
  /// kMaxRecords. Errors: kRuntime if interrupted, for which any thread asks.
  void add(const CodedTable& records, int threads, const TaskProgress& progress = kUnwatched);

  const std::vector<size_t>& sizes() const override { return sizes_; }
  size_t total_records() const override { return total_records_; }
  void count(std::span<const std::vector<int>> sets, int threads,
             const MarginalConsumer& consume) const override;
  using MarginalSource::count;
  std::unique_ptr<MarginalSource> pooled(const std::vector<RareValues>& values) const override;

 private:
  std::vector<size_t> sizes_;
  std::vector<std::vector<int>> sets_;
  std::map<std::vector<int>, size_t> place_of_;
  std::vector<std::vector<uint32_t>> counts_;  // (sets)
  size_t total_records_ = 0;
};

/// Counts `sets` once and discards the records, if the counts take no more memory than the records,
/// or little. Otherwise counts on each request. Errors: as KeptMarginals::add().
std::unique_ptr<MarginalSource> marginals_of(CodedTable records, std::vector<std::vector<int>> sets,
                                             int threads,
                                             const TaskProgress& progress = kUnwatched);

}  // namespace equinoise
