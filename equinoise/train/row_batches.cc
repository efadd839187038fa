// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/row_batches.h"

#include <algorithm>
#include <numeric>

#include "equinoise/base/lists.h"
#include "equinoise/privacy/random/poisson.h"

namespace equinoise {

RowBatches::RowBatches(const EncodedTable& table)
    : table_(table), row_ends_(table.row_counts.size()) {
  std::partial_sum(table.row_counts.begin(), table.row_counts.end(), row_ends_.begin());
}

CountedRecords RowBatches::draw(std::span<BatchPermit> permits, RandomSource& source) {
  if (row_ends_.empty()) {
    batch_.counts.clear();
    BatchPermit::draw_together(permits, table_.num_units(), source, batch_.records);
    return batch_.view();
  }
  BatchPermit::draw_together(permits, row_ends_, source, batch_);
  const int64_t num_drawn = std::accumulate(batch_.counts.begin(), batch_.counts.end(), int64_t{0});
  // A sum with counts is more expensive per row.
  if (2 * std::ssize(batch_.records) > num_drawn) batch_ = {batch_.view().repeated(), {}};
  return batch_.view();
}

std::span<const uint32_t> RowBatches::draw_freely(double sample_rate, RandomSource& source) {
  if (row_ends_.empty()) {
    poisson_sample(sample_rate, table_.num_units(), source, batch_.records);
  } else {
    poisson_sample(sample_rate, row_ends_, source, batch_);
    batch_ = {batch_.view().repeated(), {}};
  }
  return batch_.records;
}

CountedRecords RowBatches::all() {
  batch_.records.resize(static_cast<size_t>(table_.num_records));
  std::iota(batch_.records.begin(), batch_.records.end(), 0U);
  return {batch_.records, table_.row_counts};
}

uint32_t RowBatches::row_of(uint32_t place) const {
  if (row_ends_.empty()) return place;
  const auto end = std::ranges::upper_bound(row_ends_, place);
  return static_cast<uint32_t>(end - row_ends_.begin());
}

}  // namespace equinoise
