// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// Some rows of a table, each of which represents a number of equal records.
///
/// A sum of integers over records may multiply a row's contribution by its count. The sum is the
/// same, and no intermediate value exceeds the range of sums over some of the table's records.
struct CountedRecords {
  std::span<const uint32_t> records;
  std::span<const uint32_t> counts = {};  ///< (records) from 1 on; empty: 1 each

  size_t size() const { return records.size(); }
  int64_t count(size_t i) const { return counts.empty() ? 1 : counts[i]; }
  CountedRecords subspan(size_t begin, size_t size) const {
    return {records.subspan(begin, size), counts.empty() ? counts : counts.subspan(begin, size)};
  }
  /// Each row, repeated by its count.
  std::vector<uint32_t> repeated() const {
    std::vector<uint32_t> all;
    for (size_t i = 0; i < size(); ++i)
      all.insert(all.end(), static_cast<size_t>(count(i)), records[i]);
    return all;
  }
};

/// Counted records with their own memory.
struct CountedBatch {
  std::vector<uint32_t> records;
  std::vector<uint32_t> counts;

  CountedRecords view() const { return {records, counts}; }
};

}  // namespace equinoise
