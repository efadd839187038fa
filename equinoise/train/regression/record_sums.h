// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/train/integer_sum.h"
#include "equinoise/train/regression/centred_record.h"

namespace equinoise {

/// (size) The sum over contributing records. add(record, count, features, units) adds a record
/// `count` times. Sums are of integers, so that they are equal for any number of threads, and for
/// equal records at once. NOT PRIVATE.
template <typename Add>
std::vector<int64_t> sum_over_records(const EncodedTable& table, size_t size, int threads,
                                      const Add& add) {
  constexpr size_t kMinRange = 1000;
  const auto add_rows = [&](IndexRange rows, std::span<int64_t> units) {
    CentredRecord features;
    for (size_t record = rows.begin; record < rows.end; ++record) {
      if (table.contributes[record] == 0) continue;
      features.read(table, static_cast<int64_t>(record));
      add(record, table.count_of(record), features, units);
    }
  };
  return sum_over_rows(table, size, kMinRange, threads, add_rows);
}

}  // namespace equinoise
