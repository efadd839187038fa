// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace equinoise {

/// The number of bootstraps that a yardstick averages.
inline constexpr int kNumBootstraps = 5;

/// A figure of synthetic rows, and the same of real records alone: the mean of kNumBootstraps
/// bootstraps, and of one random half next to the other. NaN: undefined.
struct ComparedFigure {
  double rows = std::numeric_limits<double>::quiet_NaN();
  double bootstrap = std::numeric_limits<double>::quiet_NaN();
  double second_half = std::numeric_limits<double>::quiet_NaN();
};

// Sampling error baselines: real records made into tables for comparison, without copies, as counts
// of rows. They follow from fixed seeds, so the same records give the same ones. The draws of a row
// that represents many records are together those of as many single rows. So time grows with rows,
// not with records. NOT PRIVATE.
//
// `counts`: (rows) the number of records of each, 0 if it does not count; together at most
// kMaxRecords. `units`: as Dataset::unit_begin. If units have several records, units are drawn,
// each with all of its records, since records of one are not independent; empty: each record is
// drawn alone.

/// (rows) The number of records of each row in bootstrap number `draw`; as many records are drawn
/// with replacement as there are.
std::vector<uint32_t> bootstrap_counts(std::span<const uint32_t> counts, int draw,
                                       std::span<const uint32_t> units = {});

/// Two random halves; the first is rounded down.
struct Halves {
  std::vector<uint32_t> first;   ///< (rows)
  std::vector<uint32_t> second;  ///< (rows) the rest
};
Halves half_counts(std::span<const uint32_t> counts, std::span<const uint32_t> units = {});

/// All of them, for repeated use.
struct Yardsticks {
  std::vector<std::vector<uint32_t>> bootstraps;  ///< (kNumBootstraps) of (rows)
  Halves halves;
};
Yardsticks draw_yardsticks(std::span<const uint32_t> counts, std::span<const uint32_t> units = {});

/// The starts of units among the kept records, for units with kept records; `is_kept`:
/// (num_records). Empty if `units` is.
std::vector<uint32_t> units_of_kept(std::span<const uint32_t> units,
                                    std::span<const uint8_t> is_kept);

}  // namespace equinoise
