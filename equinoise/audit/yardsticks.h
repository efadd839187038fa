// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// Of how many bootstraps a yardstick is the mean.
inline constexpr int kNumBootstraps = 5;

// Real records made into tables to compare with, what chance alone makes of them: without copies,
// as weights. They follow from fixed seeds, so the same records give the same ones. NOT PRIVATE.

/// (draws) Places among `num_records`, as many of them, drawn with replacement: bootstrap number
/// `draw`.
std::vector<size_t> bootstrap_places(size_t num_records, int draw);

/// (num_records) 1 for a random half of them, rounded down.
std::vector<uint8_t> random_half(size_t num_records);

/// (records) What each of those with a weight above 0 counts for in bootstrap number `draw`: how
/// often it was drawn times its weight.
std::vector<double> bootstrap_weights(std::span<const double> weights, int draw);

/// Two random halves of the records with a weight above 0; the others count for nothing in both.
struct Halves {
  std::vector<double> first;   ///< (records), the one that is at most as large
  std::vector<double> second;  ///< (records)
};
Halves half_weights(std::span<const double> weights);

}  // namespace equinoise
