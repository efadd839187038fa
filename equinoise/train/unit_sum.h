// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/unit_tile.h"

namespace equinoise {

/// The clipped sum of a batch of units of several rows each: the gradients of a unit's rows are
/// summed, then clipped (unit_tile.h). `Sum` is int64_t, in units of a grid, or double for sums
/// without noise.
///
/// Sensitivity: a unit adds integers of at most clip.bound() / grid in L2, which depend on its own
/// rows, the parameters and the clip policy only. The number of its rows moves other units' rows
/// within a tile or to another one, which does not change their parts. A unit with more rows than a
/// tile gets a tile of its own. Integers add without rounding in any order. So if all rows of one
/// unit become null or are removed, the sum changes by at most the bound. If the model adds up on
/// its own grid (Model::exact_grid), the sum of the whole batch is rounded once to the released
/// grid, which adds Model::sum_error.
///
/// Results do not depend on the number of threads.
template <typename Sum>
class UnitSum {
 public:
  /// table: has unit_begin, and groups if the policy has groups.
  UnitSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip, int threads);

  /// (num_parameters) the clipped sum over these units; integers are in units of `grid`. Also
  /// computes the policy's counts unless they come first. Errors: kRuntime if sums of this many
  /// units might not fit 64 bits, or if other units were counted before.
  std::span<Sum> compute(std::span<const uint32_t> units, std::span<const double> parameters,
                         double grid);

  /// The policy's counts of these units, if they come first. Results of the passes are kept for
  /// compute(), up to max_kept().
  std::span<const int64_t> count(std::span<const uint32_t> units,
                                 std::span<const double> parameters);

  /// The number of units in the last sum whose weight was beyond the bound.
  int64_t num_cut() const;

  /// The last counts.
  std::span<const int64_t> counts() const { return counts_; }

 private:
  /// Working memory of a thread.
  struct Worker {
    UnitTile<Sum> tile;
    typename UnitTile<Sum>::Scratch scratch = {};
    std::vector<int64_t> counts = {};
    std::vector<Sum> sum = {};  ///< (num_parameters) of the batch so far; zeros between batches
  };

  /// Cuts the batch into tile_units_.
  void cut(std::span<const uint32_t> units);

  /// Calls use(worker, place) for each tile, one per thread at once, then end_round(number of
  /// tiles).
  template <typename Use, typename EndRound>
  void for_each_tile(const Use& use, const EndRound& end_round);

  /// Calls use(tile) with the kept tile, or with the worker's.
  template <typename Use>
  void with_tile(bool is_kept, size_t place, Worker& worker, const Use& use);

  SumScale scale_of(double grid) const;
  void add_counts(size_t num_workers);

  const EncodedTable& table_;
  const Model& model_;
  const ClipPolicy& clip_;
  std::vector<Worker> workers_;
  std::vector<int64_t> counts_;
  std::vector<Sum> total_;
  std::vector<std::span<const uint32_t>> tile_units_;
  std::vector<UnitTile<Sum>> kept_;  // tiles of the batch that was counted last
  size_t num_known_ = 0;             // the number of filled tiles, from the first
  std::vector<uint32_t> looked_at_;  // that batch
};

}  // namespace equinoise
