// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"

namespace equinoise {

/// Some records of a table, each of which stands for so many that are equal to it.
struct CountedRecords {
  std::span<const uint32_t> records;
  std::span<const uint32_t> counts = {};  ///< (records) from 1 on; empty: 1 each

  size_t size() const { return records.size(); }
  int64_t count(size_t i) const { return counts.empty() ? 1 : counts[i]; }
  CountedRecords subspan(size_t begin, size_t size) const {
    return {records.subspan(begin, size), counts.empty() ? counts : counts.subspan(begin, size)};
  }
};

/// The records of a table in runs of equal ones: those that share a row of features
/// (EncodedTable::rows), as the records of a counted row do, and have the same target and group.
///
/// What a loop over all records adds up in integers it may ask of one record of a run, times how
/// many there are. The sum is the same, and as no more than the table's records are added it is
/// nowhere on the way beyond what the sum over some of them may be.
class RecordRuns {
 public:
  /// Pre: the table outlives this and does not change.
  explicit RecordRuns(const EncodedTable& table);

  /// How many runs there are; without shared rows as many as records.
  size_t size() const;
  size_t first(size_t run) const { return begin_.empty() ? run : begin_[run]; }
  int64_t count(size_t run) const {
    return begin_.empty() ? 1 : int64_t{begin_[run + 1]} - int64_t{begin_[run]};
  }

  struct Memory {
    std::vector<uint32_t> records;
    std::vector<uint32_t> counts;
  };

  /// The same records, in the same order, those that are equal to the one before counted with it,
  /// unless that leaves more than half of them. `batch`: ascending, none twice. What is returned is
  /// in `batch` or in `memory`.
  CountedRecords merge(std::span<const uint32_t> batch, Memory& memory) const;

 private:
  bool are_equal(size_t a, size_t b) const;

  const EncodedTable& table_;
  std::vector<uint32_t> begin_;  // (runs + 1); empty: each record is one
};

}  // namespace equinoise
