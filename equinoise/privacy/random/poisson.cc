// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/poisson.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/wide.h"

namespace equinoise {

namespace {

void take_all(size_t count, std::vector<uint32_t>& indices) {
  indices.resize(count);
  std::iota(indices.begin(), indices.end(), 0U);
}

}  // namespace

double geometric_gap_wide(double sample_rate, uint64_t position, TailBits tail) {
  const Wide u = wide_uniform(position, 52, tail);
  return static_cast<double>(floor(log(u) / log(1 - Wide(sample_rate))));
}

void check_poisson_sample(double sample_rate, int64_t num_records) {
  check_interval("privacy.random", "sample_rate", sample_rate, kMinSampleRate, 1);
  check_interval("privacy.random", "num_records", static_cast<double>(num_records), 0,
                 std::numeric_limits<uint32_t>::max());
}

void poisson_sample(double sample_rate, int64_t num_records, RandomSource& source,
                    std::vector<uint32_t>& records) {
  check_poisson_sample(sample_rate, num_records);
  if (sample_rate == 1) return take_all(static_cast<size_t>(num_records), records);
  records.clear();
  poisson_skip(
      sample_rate, num_records, [&source] { return source.next(); },
      [&records](uint32_t record) { records.push_back(record); });
}

void poisson_sample(double sample_rate, std::span<const uint32_t> row_ends, RandomSource& source,
                    CountedBatch& batch) {
  const int64_t num_records = row_ends.empty() ? 0 : row_ends.back();
  check_poisson_sample(sample_rate, num_records);
  if (sample_rate == 1) {
    take_all(row_ends.size(), batch.records);
    batch.counts.resize(row_ends.size());
    std::adjacent_difference(row_ends.begin(), row_ends.end(), batch.counts.begin());
    return;
  }
  batch.records.clear();
  batch.counts.clear();
  auto end = row_ends.begin();
  poisson_skip(
      sample_rate, num_records, [&source] { return source.next(); },
      [&](uint32_t record) {
        if (record >= *end) end = std::upper_bound(end, row_ends.end(), record);
        const auto row = static_cast<uint32_t>(end - row_ends.begin());
        if (batch.records.empty() || batch.records.back() != row) {
          batch.records.push_back(row);
          batch.counts.push_back(0);
        }
        ++batch.counts.back();
      });
}

}  // namespace equinoise
