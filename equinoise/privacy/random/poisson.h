// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/counted_records.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/random/wide.h"

namespace equinoise {

/// An upper bound on the total-variation distance of one skip from its geometric distribution.
inline constexpr double kSkipError = 0x1p-140;

/// Skips are at most one more than records.
inline constexpr double kMaxSkips = 0x1p32;

/// The smallest rate that poisson_sample accepts.
inline constexpr double kMinSampleRate = 0x1p-30;

/// floor(log(u) / log(1 - sample_rate)) in wide arithmetic, for the u with the 52 leading bits
/// `position` and the next 128 bits `tail`.
double geometric_gap_wide(double sample_rate, uint64_t position, TailBits tail);

/// The body of poisson_sample over any callable that returns uniform 64-bit words; without its
/// checks, and for rate 0 too. Calls take(record) for each that is drawn.
template <typename NextWord, typename Take>
void poisson_skip(double sample_rate, int64_t num_records, NextWord next_word, Take take) {
  if (sample_rate == 0) return;
  if (sample_rate == 1) {
    for (int64_t record = 0; record < num_records; ++record) take(static_cast<uint32_t>(record));
    return;
  }
  const double inverse = 1 / std::log1p(-sample_rate);
  const auto limit = static_cast<double>(num_records);
  double next = 0;
  for (;;) {
    const uint64_t position = next_word() >> 12;
    const double middle = static_cast<double>(position) + 0.5;
    const double ratio = std::log(middle * 0x1p-52) * inverse;
    // u lies within half a cell of the middle; the rest are the roundings of log, log1p, the
    // quotient and the product.
    const double doubt = ratio * 0x1p-48 - inverse / middle;
    double gap = std::floor(ratio);
    if (position == 0 || gap != std::floor(ratio - doubt) || gap != std::floor(ratio + doubt)) {
      const uint64_t high = next_word();
      gap = geometric_gap_wide(sample_rate, position, {high, next_word()});
    }
    next += gap;
    if (!(next < limit)) return;
    take(static_cast<uint32_t>(next));
    next += 1;
  }
}

/// Errors: kUsage unless kMinSampleRate <= sample_rate <= 1 and 0 <= num_records < 2^32.
void check_poisson_sample(double sample_rate, int64_t num_records);

/// Draws each of 0 .. num_records-1 independently with probability `sample_rate` into `records`,
/// ascending.
///
/// Skips ahead by geometric gaps floor(log(u) / log(1 - rate)), so the time is that of the batch,
/// not of the table. A gap that double precision cannot decide is decided with 128 more random bits
/// in 256-bit arithmetic. At most num_records + 1 gaps. Errors: check_poisson_sample.
void poisson_sample(double sample_rate, int64_t num_records, RandomSource& source,
                    std::vector<uint32_t>& records);

/// Samples counted rows: row r holds the records from row_ends[r - 1] (row 0: from 0) to before
/// row_ends[r]. `batch` has the rows, ascending, from which the call above would draw records with
/// the same source, and their counts.
///
/// So the distribution is the same: counts are binomial, Bin(records of the row, sample_rate), and
/// those of different rows independent. Memory is that of the rows; at rate 1 so is the time, and
/// rows without records are in the batch, with count 0.
void poisson_sample(double sample_rate, std::span<const uint32_t> row_ends, RandomSource& source,
                    CountedBatch& batch);

}  // namespace equinoise
