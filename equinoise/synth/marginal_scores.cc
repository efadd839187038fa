// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/int128.h"

namespace equinoise {

namespace {

// A sum has 45 bits and a score 61 for 2^32 records.
constexpr double kRecord = 1 / MarginalScores::kRecordUnit;
constexpr double kLargestWeight = 0x1p16;
constexpr double kMaxUnits = 0x1p62;

int64_t to_units(double records) {
  return static_cast<int64_t>(std::clamp(std::nearbyint(records * kRecord), -kMaxUnits, kMaxUnits));
}

Int128 distance_of(std::span<const uint32_t> counts, std::span<const double> expected) {
  Int128 sum = 0;
  for (size_t cell = 0; cell < counts.size(); ++cell) {
    const Int128 difference =
        Int128{counts[cell]} * static_cast<int64_t>(kRecord) - to_units(expected[cell]);
    sum += difference < 0 ? -difference : difference;
  }
  return sum;
}

}  // namespace

int64_t MarginalScores::weight_units(double weight) const {
  return std::max<int64_t>(1, static_cast<int64_t>(weight / largest_weight_ * kLargestWeight));
}

double MarginalScores::sensitivity_units(double weight) const {
  return static_cast<double>(weight_units(weight)) * kRecord;
}

double MarginalScores::unit() const { return largest_weight_ / kLargestWeight / kRecord; }

int64_t MarginalScores::distance(std::span<const uint32_t> counts,
                                 std::span<const double> expected) {
  return static_cast<int64_t>(
      std::min(distance_of(counts, expected), Int128{static_cast<int64_t>(kMaxUnits)}));
}

int64_t MarginalScores::score(std::span<const uint32_t> counts, std::span<const double> expected,
                              double weight, double penalty) const {
  const Int128 sum = distance_of(counts, expected);
  const Int128 limit = std::numeric_limits<int64_t>::max();
  // Clamped before the product as well, which 128 bits could not hold.
  const Int128 excess = std::clamp<Int128>(sum - to_units(penalty), -limit, limit);
  return static_cast<int64_t>(std::clamp<Int128>(excess * weight_units(weight), -limit, limit));
}

}  // namespace equinoise
