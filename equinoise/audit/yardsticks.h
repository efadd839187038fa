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
//
// `units`: as Dataset::unit_begin. Where units have several records these are drawn, each with all
// of its records, since records of one are not independent; empty: each record is drawn alone.

/// (drawn records) Places among `num_records` of as many as there are, drawn with replacement:
/// bootstrap number `draw`.
std::vector<size_t> bootstrap_places(size_t num_records, int draw,
                                     std::span<const uint32_t> units = {});

/// (num_records) 1 for those of a random half, rounded down.
std::vector<uint8_t> random_half(size_t num_records, std::span<const uint32_t> units = {});

/// (records) What each of those with a weight above 0 counts for in bootstrap number `draw`: how
/// often it was drawn times its weight.
std::vector<double> bootstrap_weights(std::span<const double> weights, int draw,
                                      std::span<const uint32_t> units = {});

/// Two random halves of the records with a weight above 0; the others count for nothing in both.
struct Halves {
  std::vector<double> first;   ///< (records), of at most as many
  std::vector<double> second;  ///< (records)
};
Halves half_weights(std::span<const double> weights, std::span<const uint32_t> units = {});

/// Where units begin among the kept records, of those that have any; `is_kept`: (num_records).
/// Empty if `units` is.
std::vector<uint32_t> units_of_kept(std::span<const uint32_t> units,
                                    std::span<const uint8_t> is_kept);

}  // namespace equinoise
