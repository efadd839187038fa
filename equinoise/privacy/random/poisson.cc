// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/poisson.h"

#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/wide.h"

namespace equinoise {

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
  poisson_skip(
      sample_rate, num_records, [&source] { return source.next(); }, records);
}

}  // namespace equinoise
