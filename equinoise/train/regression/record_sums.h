// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/parallel.h"
#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/centred_record.h"

namespace equinoise {

/// (size) The sum over contributing records. add(record, count, features, units) adds a record
/// `count` times. Sums are of integers, so that they are equal for any number of threads, and for
/// equal records at once. NOT PRIVATE.
template <typename Add>
std::vector<int64_t> sum_over_records(const EncodedTable& table, size_t size, int threads,
                                      const Add& add) {
  constexpr size_t kMinRange = 1000;
  const std::vector<IndexRange> ranges =
      ranges_for_threads(static_cast<size_t>(table.num_records), kMinRange, threads);
  std::vector<std::vector<int64_t>> parts(ranges.size());
  parallel_for(ranges.size(), threads, [&](size_t part) {
    std::vector<int64_t>& units = parts[part];
    units.assign(size, 0);
    CentredRecord features;
    for (size_t record = ranges[part].begin; record < ranges[part].end; ++record) {
      if (table.contributes[record] == 0) continue;
      features.read(table, static_cast<int64_t>(record));
      add(record, table.count_of(record), features, std::span(units));
    }
  });
  for (size_t part = 1; part < parts.size(); ++part)
    for (size_t k = 0; k < size; ++k) parts[0][k] += parts[part][k];
  return std::move(parts[0]);
}

}  // namespace equinoise
