// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/parallel.h"
#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/centred_record.h"

namespace equinoise {

/// (size) the sum over the records that contribute of what add(record, features, units) adds of
/// each. Integers, so that it is the same for any number of threads. NOT PRIVATE.
template <typename Add>
std::vector<int64_t> sum_over_records(const EncodedTable& table, size_t size, int threads,
                                      const Add& add) {
  const auto num_parts = static_cast<size_t>(
      std::clamp<int64_t>(threads, 1, std::max<int64_t>(1, table.num_records / 1000)));
  std::vector<std::vector<int64_t>> parts(num_parts);
  parallel_for(num_parts, threads, [&](size_t part) {
    std::vector<int64_t>& units = parts[part];
    units.assign(size, 0);
    const auto edge = [&](size_t k) {
      return table.num_records * static_cast<int64_t>(k) / static_cast<int64_t>(num_parts);
    };
    CentredRecord features;
    for (int64_t record = edge(part); record < edge(part + 1); ++record) {
      if (table.contributes[static_cast<size_t>(record)] == 0) continue;
      features.read(table, record);
      add(record, features, std::span(units));
    }
  });
  for (size_t part = 1; part < num_parts; ++part)
    for (size_t k = 0; k < size; ++k) parts[0][k] += parts[part][k];
  return std::move(parts[0]);
}

}  // namespace equinoise
