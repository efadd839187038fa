// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace equinoise {

/// Of how many bootstraps a yardstick is the mean.
inline constexpr int kNumBootstraps = 5;

/// A figure of synthetic rows, and the same of real records alone: the mean of kNumBootstraps
/// bootstraps, and of one random half next to the other. NaN: undefined.
struct ComparedFigure {
  double rows = std::numeric_limits<double>::quiet_NaN();
  double bootstrap = std::numeric_limits<double>::quiet_NaN();
  double second_half = std::numeric_limits<double>::quiet_NaN();
};

// Real records made into tables to compare with, what chance alone makes of them: without copies,
// as counts of rows. They follow from fixed seeds, so the same records give the same ones, and
// those of a row that stands for many are together those that each would get in a row of its own:
// time grows with rows, not with records. NOT PRIVATE.
//
// `counts`: (rows) how many records each stands for, 0 where it does not count; together at most
// kMaxRecords. `units`: as Dataset::unit_begin. Where units have several records these are drawn,
// each with all of its records, since records of one are not independent; empty: each record is
// drawn alone.

/// (rows) How many records each stands for in bootstrap number `draw`: as many as there are are
/// drawn with replacement.
std::vector<uint32_t> bootstrap_counts(std::span<const uint32_t> counts, int draw,
                                       std::span<const uint32_t> units = {});

/// Two random halves; the first is rounded down.
struct Halves {
  std::vector<uint32_t> first;   ///< (rows)
  std::vector<uint32_t> second;  ///< (rows) the rest
};
Halves half_counts(std::span<const uint32_t> counts, std::span<const uint32_t> units = {});

/// All of them, for whoever needs them more than once.
struct Yardsticks {
  std::vector<std::vector<uint32_t>> bootstraps;  ///< (kNumBootstraps) of (rows)
  Halves halves;
};
Yardsticks draw_yardsticks(std::span<const uint32_t> counts, std::span<const uint32_t> units = {});

/// Where units begin among the kept records, of those that have any; `is_kept`: (num_records).
/// Empty if `units` is.
std::vector<uint32_t> units_of_kept(std::span<const uint32_t> units,
                                    std::span<const uint8_t> is_kept);

}  // namespace equinoise
