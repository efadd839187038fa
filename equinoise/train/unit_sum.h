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

/// The clipped sum of a batch of units, each of several rows: the gradients of a unit's rows are
/// summed, then clipped (unit_tile.h). `Sum` is int64_t, in units of a grid, or double for sums
/// without noise.
///
/// How far a unit moves it. A unit adds integers of at most clip.bound() / grid in L2, which follow
/// from its own rows, the parameters and the clip policy alone; that the number of its rows moves
/// those of others to other places of a tile, or into another one, changes none of what they add. A
/// unit whose rows do not fit a tile has its own. Integers add without rounding in any order.
/// Hence, where all rows of one unit become null or go, the sum changes by at most the bound. Where
/// the model adds up on a grid of its own (Model::exact_grid) the sum of the whole batch is rounded
/// to the released one, once, which adds Model::sum_error.
///
/// Results do not depend on the number of threads.
template <typename Sum>
class UnitSum {
 public:
  /// table: has unit_begin. Where the policy has groups the table has them.
  UnitSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip, int threads);

  /// (num_parameters) the clipped sum over these units; of integers in units of `grid`. Counts on
  /// the way what the policy counts unless its counts come first. Errors: kRuntime where sums of
  /// this many units might not fit 64 bits, or where other units were counted before.
  std::span<Sum> compute(std::span<const uint32_t> units, std::span<const double> parameters,
                         double grid);

  /// What the policy counts of these units, where that comes first. What the passes gave is kept
  /// for compute(), up to max_kept().
  std::span<const int64_t> count(std::span<const uint32_t> units,
                                 std::span<const double> parameters);

  /// How many units of the last sum had a weight beyond the bound.
  int64_t num_cut() const;

  /// What was counted last.
  std::span<const int64_t> counts() const { return counts_; }

 private:
  /// What one thread works with.
  struct Worker {
    UnitTile<Sum> tile;
    typename UnitTile<Sum>::Scratch scratch = {};
    std::vector<int64_t> counts = {};
    std::vector<Sum> sum = {};  ///< (num_parameters) of the batch so far; zeros between batches
  };

  /// Cuts the batch into tile_units_.
  void cut(std::span<const uint32_t> units);

  /// use(worker, place) for each of them, as many at once as there are threads, then end_round(how
  /// many).
  template <typename Use, typename EndRound>
  void for_each_tile(const Use& use, const EndRound& end_round);

  /// use(tile) with the one that is kept, or with the worker's.
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
  size_t num_known_ = 0;             // so many of them are filled, the first ones
  std::vector<uint32_t> looked_at_;  // that batch
};

}  // namespace equinoise
