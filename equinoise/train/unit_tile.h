// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/base/counted_records.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// The rows of some units: the gradients of a unit's rows are summed, then clipped. `Sum` is
/// int64_t, in units of a grid, or double for sums without noise.
///
/// A null row adds nothing, nor does a row whose gradient is not finite (Model::differentiate). A
/// unit without a row that adds something is the null unit: no count, no weight. The clip policy
/// receives the squared norm of the sum and the unit's group, that of its first row that counts, as
/// for a record, and returns its weight w. The unit is added in one of three ways:
///
/// 1. A unit of one row: its row's part as a record (Model::add_weighted_sum), by its norm.
/// 2. A unit of several rows, in integers, if the model computes norms of sums
///    (Model::has_sum_norms): the sum of its rows' parts as records, all with weight w. The sum is
///    not materialised. The norm given to the policy is raised until w times it is at least the
///    norm of the integers that the rows add together with that weight (Model::squared_sum_norm):
///    the effect of truncation on rows that cancel is measured, not bounded. It starts 2^-11 above
///    the norm of these integers for a small weight, which is mostly enough.
/// 3. Otherwise, also if raising does not end, or if a weighted row is longer than 16 bounds, for
///    which there is no room on the grid: the rows' gradients are summed to g in double precision,
///    row after row, and w g / grid is truncated towards zero entry by entry.
///
/// Proof that a unit that the policy scales to norm C adds at most C / grid in L2, exactly. First
/// way: as for a record. Second way: the computed norm of exactly these integers is never below the
/// exact one, and the comparison has a margin larger than the roundings of both sides. Third way: g
/// is a given vector of doubles, so rounding and cancellation among rows came before and need no
/// bound. Its squared norm is a sum of n squares without cancellation, so with u = 2^-53 it is
/// computed to at least the exact one times (1 - u)^(n + 1); it starts with the least normal
/// double, which is more than all squares that underflow. It is raised by the factor 1 + 2 (n + 32)
/// u, more than that, the two roundings of a clip weight C / sqrt(squared norm) and that of w times
/// an entry take away. The grid is a power of two, and truncation makes no entry longer. A squared
/// norm that overflows is infinite: weight 0.
///
/// A unit's part, and the way in which it is added, depend on its rows and the parameters only, as
/// gradients, their sums and norms do (Model::sum_gradients).
template <typename Sum>
class UnitTile {
 public:
  static constexpr const char* kMembers = "units";

  UnitTile(const EncodedTable& table, const Model& model, const ClipPolicy& clip)
      : table_(&table), model_(&model), clip_(&clip) {}

  /// Working memory of a thread.
  struct Scratch {
    std::vector<double> weights;       ///< (rows)
    std::vector<double> unit_weights;  ///< of the rows of one unit
    GradientSum gradient;
    bool is_cut = false;  ///< of one unit
    int64_t num_cut = 0;  ///< units that add() found to have a weight beyond the bound
  };

  /// Cuts a batch of units into tiles: at most as many rows as a tile of the model has, or all rows
  /// of one unit.
  static std::vector<CountedRecords> cut(const EncodedTable& table, const Model& model,
                                         const CountedRecords& batch);

  /// Does the passes for the rows of these units that contribute.
  void fill(const CountedRecords& units, std::span<const double> parameters, Scratch& scratch);

  /// Adds the clip policy's counts.
  void count(std::span<const double> parameters, Scratch& scratch, std::span<int64_t> counts);

  /// Adds the clipped sum; integers are in units of scale.grid. Also adds the policy's counts if
  /// `counts` is not empty. scale: scale_of(model, clip.bound(), the grid of the release).
  void add(std::span<const double> parameters, const SumScale& scale, Scratch& scratch,
           std::span<int64_t> counts, std::span<Sum> sum);

  /// The scale on which a model adds up units that will be released on `grid`.
  static SumScale scale_of(const Model& model, double bound, double grid);

  /// Results of the passes. The caller may take parameters from it until fill().
  PerSample& samples() { return samples_; }

 private:
  enum class Way { kNone, kAsRecord, kAsRecords, kSummed };

  struct Unit {
    size_t begin;  ///< in rows_
    size_t end;
    Way way;
    double squared_norm;  ///< in the third way: not computed yet
    GroupId group;
  };

  bool has_gradient(size_t row) const;
  std::span<const uint32_t> rows_of(const Unit& unit) const {
    return std::span(rows_).subspan(unit.begin, unit.end - unit.begin);
  }
  bool is_long() const { return rows_.size() > model_->max_tile_records(); }

  /// Sets way and norm.
  void look_at(Unit& unit, Scratch& scratch) const;

  /// Calls use(unit, squared norm) for each unit in a group that the policy knows. In the third way
  /// scratch.gradient is the unit's.
  template <typename Use>
  void for_each(std::span<const double> parameters, Scratch& scratch, const Use& use);

  /// Sets scratch.gradient and returns its squared norm; NaN: no row has a gradient.
  double sum_gradients(const Unit& unit, Scratch& scratch) const;
  double sum_long_unit(std::span<const double> parameters, Scratch& scratch);

  /// The policy's view of a unit. Refers to both arguments.
  GradientNorms norms_of(const double& squared_norm, const GroupId& group) const;
  double weight_of(double squared_norm, GroupId group, Scratch& scratch) const;

  /// The weight in the second way; empty: the unit's gradients are to be summed.
  std::optional<double> weight_as_records(const Unit& unit, const SumScale& scale,
                                          Scratch& scratch) const;

  /// An upper bound on the norm of the sum of a unit's row parts with this weight.
  double norm_as_records(const Unit& unit, double weight, const SumScale& scale,
                         Scratch& scratch) const;

  const EncodedTable* table_;
  const Model* model_;
  const ClipPolicy* clip_;
  std::vector<uint32_t> rows_;
  std::vector<Unit> units_;  // those with rows
  PerSample samples_;        // for a long unit: of its last rows
};

}  // namespace equinoise
