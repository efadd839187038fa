// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// The clipped sum of a batch of units, each of several rows: the gradients of a unit's rows are
/// summed, then clipped. `Sum` is int64_t, in units of a grid, or double for sums without noise.
///
/// What a unit adds. Its gradient is g = sum over its rows of the rows' gradients, in double
/// precision, row after row; a null row adds nothing, nor does one whose gradient is not finite
/// (Model::differentiate). A unit without a row that adds something is the null unit: no count, no
/// weight. The clip policy sees its squared norm and its group, that of its first row that counts,
/// as if it were a record, and gives its weight w. Then w g / grid is truncated towards zero entry
/// by entry, and the integers are added.
///
/// Why its norm is bounded by clip.bound() / grid, exactly, in L2. g is a vector of doubles as it
/// stands: whatever rounding and cancellation there was among rows came before, and need not be
/// bounded. Its squared norm is a sum of n squares without cancellation, so with u = 2^-53 it is
/// computed to at least the exact one times (1 - u)^(n + 1); the least normal double that it starts
/// with is more than all squares that underflow. It is raised by the factor 1 + 2 (n + 32) u, more
/// than that, the two roundings of a clip weight C / sqrt(squared norm) and that of w times an
/// entry take away; the grid is a power of two, and truncation makes no entry longer. So a unit
/// that the policy scales to norm C stays within C. A squared norm that overflows is infinite:
/// weight 0.
///
/// Why nothing else of the sum changes with a unit's rows. The gradients of rows depend on the row
/// and the parameters alone, and the sum over a unit's rows on these rows alone
/// (Model::sum_gradients), although how many rows a unit has moves those of others to other places
/// of a tile. A unit whose rows do not fit a tile is summed in tiles that begin with its own rows.
/// Integers add without rounding in any order. Hence, where all rows of one unit change, the sum
/// changes by the difference of what that unit adds, and where they become null or go, by at most
/// the bound: no rounding of the whole sum (Model::exact_grid, Model::sum_error) is needed.
///
/// Results do not depend on the number of threads.
template <typename Sum>
class UnitSum {
 public:
  /// table: has unit_begin. Where the policy has groups the table has them.
  UnitSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip, int threads);

  /// (num_parameters) the clipped sum over these units; of integers in units of `grid`. Counts on
  /// the way what the policy counts unless its counts come first. Errors: kRuntime where sums of
  /// this many units might not fit 64 bits.
  std::span<Sum> compute(std::span<const uint32_t> units, std::span<const double> parameters,
                         double grid);

  /// What the policy counts of these units, where that comes first. The gradients are made again by
  /// compute().
  std::span<const int64_t> count(std::span<const uint32_t> units,
                                 std::span<const double> parameters);

  /// What was counted last.
  std::span<const int64_t> counts() const { return counts_; }

 private:
  /// What one thread works with.
  struct Worker {
    std::vector<uint32_t> rows;
    std::vector<size_t> ends;  ///< in `rows`, of each unit
    PerSample samples;
    std::vector<double> ones;  ///< (rows) 1, or 0 for a row without a gradient
    GradientSum gradient;
    std::vector<int64_t> counts;
    std::vector<Sum> sum;  ///< (num_parameters) of the batch so far; zeros between batches
  };

  /// use(worker, norms) for each unit that has a gradient, worker.gradient, `norms` being its own;
  /// tile by tile, as many at once as there are threads, then end_round(how many).
  template <typename Use, typename EndRound>
  void for_each_gradient(std::span<const uint32_t> units, std::span<const double> parameters,
                         const Use& use, const EndRound& end_round);

  template <typename Use>
  void visit_tile(std::span<const uint32_t> units, std::span<const double> parameters,
                  Worker& worker, const Use& use) const;

  /// Sets worker.gradient to that of the rows from `begin` to `end` of worker.rows, whose passes
  /// are done. Whether one of them has a gradient.
  bool sum_rows(size_t begin, size_t end, Worker& worker) const;

  /// The same for all of worker.rows, which are more than a tile and whose passes are not done.
  bool sum_long_unit(std::span<const double> parameters, Worker& worker) const;

  /// Appends the rows of a unit that contribute to worker.rows.
  void append_rows(uint32_t unit, Worker& worker) const;

  void add_counts(size_t num_workers);

  const EncodedTable& table_;
  const Model& model_;
  const ClipPolicy& clip_;
  size_t tile_units_;
  std::vector<Worker> workers_;
  std::vector<int64_t> counts_;
  std::vector<Sum> total_;
};

}  // namespace equinoise
