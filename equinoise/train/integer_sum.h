// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/base/parallel.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

/// (size) The sum of what add(range of rows, units) adds for all rows of the table, in ranges of at
/// least `least` rows. Integers, so that the sum is equal for any number of threads.
template <typename Add>
std::vector<int64_t> sum_over_rows(const EncodedTable& table, size_t size, size_t least,
                                   int threads, const Add& add) {
  const std::vector<IndexRange> ranges =
      ranges_for_threads(static_cast<size_t>(table.num_records), least, threads);
  std::vector<std::vector<int64_t>> parts(ranges.size());
  parallel_for(ranges.size(), threads, [&](size_t part) {
    parts[part].resize(size);
    add(ranges[part], std::span(parts[part]));
  });
  for (size_t part = 1; part < parts.size(); ++part)
    for (size_t k = 0; k < size; ++k) parts[0][k] += parts[part][k];
  return std::move(parts[0]);
}

}  // namespace equinoise
