// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "equinoise/base/counted_records.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// The sum of the clipped gradients of a batch of records; for a table of units, of units of
/// several rows each, whose gradients are summed, then clipped (unit_tile.h). `Sum` is int64_t, in
/// units of a grid, or double for sums without noise.
///
/// Sensitivity: a unit adds integers of at most clip.bound() / grid in L2, which depend on its own
/// rows, the parameters and the clip policy only. The number of its rows moves other units' rows
/// within a tile or to another one, which does not change their parts. A unit with more rows than a
/// tile gets a tile of its own. Integers add without rounding in any order. So if all rows of one
/// unit become null or are removed, the sum changes by at most the bound. If the model adds up on
/// its own grid (Model::exact_grid), the sum of the whole batch is rounded once to the released
/// grid, which adds Model::sum_error.
///
/// Results do not depend on the number of threads: integers are added in any order, doubles one by
/// one, in the order of the tiles.
template <typename Sum>
class BatchSum {
 public:
  virtual ~BatchSum() = default;

  /// (num_parameters) the clipped sum over the batch, the same that was counted; integers are in
  /// units of `grid`. Also computes the policy's counts unless they come first. Errors: kRuntime if
  /// sums of this many records might not fit 64 bits, or if another batch was counted before.
  virtual std::span<Sum> compute(const CountedRecords& batch, std::span<const double> parameters,
                                 double grid) = 0;

  /// The counts of the batch that the policy wants first, or the sums that its term needs, in the
  /// term's units. Results of the passes are kept for compute() as far as memory allows.
  virtual std::span<const int64_t> count(const CountedRecords& batch,
                                         std::span<const double> parameters) = 0;

  /// The number of records, or units, in the last sum whose weight was beyond the bound.
  virtual int64_t num_cut() const = 0;

  /// The last counts.
  virtual std::span<const int64_t> counts() const = 0;
};

/// Errors: kRuntime if the policy has groups or a term and the table has none; if its term is not
/// one of this model; and for a term on a table of units.
template <typename Sum>
std::unique_ptr<BatchSum<Sum>> make_batch_sum(const EncodedTable& table, const Model& model,
                                              const ClipPolicy& clip, int threads);

}  // namespace equinoise
