// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/counted_records.h"
#include "equinoise/data/encoder.h"
#include "equinoise/privacy/charge.h"

namespace equinoise {

/// Batches of a table's records, or of its units.
///
/// For counted rows a batch holds rows and the number of records of each. These are the records
/// that would be drawn if each had its own row (poisson_sample), so relation, rate and cost are
/// those of records.
class RowBatches {
 public:
  /// Pre: the table outlives this and does not change.
  explicit RowBatches(const EncodedTable& table);

  /// One Poisson batch for all of `permits`, valid until the next call of any of these. Errors: as
  /// BatchPermit::draw_together.
  CountedRecords draw(std::span<BatchPermit> permits, RandomSource& source);

  /// The same without a permit, each row repeated for each of its drawn records. NOT private.
  std::span<const uint32_t> draw_freely(double sample_rate, RandomSource& source);

  /// All records.
  CountedRecords all();

  /// The row of the record at a position in the table.
  uint32_t row_of(uint32_t place) const;

 private:
  const EncodedTable& table_;
  std::vector<uint32_t> row_ends_;  // for counted rows, as poisson_sample expects them
  CountedBatch batch_;
};

}  // namespace equinoise
