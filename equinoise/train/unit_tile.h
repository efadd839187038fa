// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// The rows of some units, each of which is clipped: their gradients are summed, then clipped.
/// `Sum` is int64_t, in units of a grid, or double for sums without noise.
///
/// A null row adds nothing, nor does one whose gradient is not finite (Model::differentiate). A
/// unit without a row that adds something is the null unit: no count, no weight. The clip policy
/// sees the squared norm of the sum and the unit's group, that of its first row that counts, as if
/// it were a record, and gives its weight w. The unit is added in one of three ways:
///
/// 1. Of one row: what the row adds as a record (Model::add_weighted_sum), by its norm.
/// 2. Of several, in integers, where the model knows norms of sums (Model::has_sum_norms): what its
///    rows add as records, all with weight w. Their sum is not written out. The norm that the
///    policy sees is raised until w times it is no less than the norm of the integers that the rows
///    add together with that weight (Model::squared_sum_norm): what truncation does to rows that
///    cancel is measured, not bounded. It begins 2^-11 above that for a small weight, which mostly
///    is enough.
/// 3. Else, also where raising does not end, and where a row is longer than 16 bounds after
///    weighing, for which there is no room on the grid: the rows' gradients are summed to g
///    in double precision, row after row, and w g / grid is truncated towards zero entry by entry.
///
/// Why a unit that the policy scales to norm C adds at most C / grid in L2, exactly. In the first
/// way as a record does. In the second since the norm of just these integers is never computed
/// below the exact one, and is compared with more room than both sides have roundings. In the third
/// g is a vector of doubles as it stands: whatever rounding and cancellation there was among rows
/// came before, and need not be bounded. Its squared norm is a sum of n squares without
/// cancellation, so with u = 2^-53 it is computed to at least the exact one times (1 - u)^(n + 1);
/// the least normal double that it starts with is more than all squares that underflow. It is
/// raised by the factor 1 + 2 (n + 32) u, more than that, the two roundings of a clip weight C /
/// sqrt(squared norm) and that of w times an entry take away; the grid is a power of two, and
/// truncation makes no entry longer. A squared norm that overflows is infinite: weight 0.
///
/// What a unit adds follows from its rows and the parameters alone: gradients, their sums and norms
/// do (Model::sum_gradients), and with them the way.
template <typename Sum>
class UnitTile {
 public:
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

  /// Does the passes for the rows of these units that contribute: at most as many as a tile of the
  /// model has, or all of one unit.
  void fill(std::span<const uint32_t> units, std::span<const double> parameters, Scratch& scratch);

  /// Adds what the clip policy counts.
  void count(std::span<const double> parameters, Scratch& scratch, std::span<int64_t> counts);

  /// Adds the clipped sum, of integers in units of scale.grid, and where `counts` are asked for
  /// what the policy counts. scale: scale_of(model, clip.bound(), the grid of the release).
  void add(std::span<const double> parameters, const SumScale& scale, Scratch& scratch,
           std::span<int64_t> counts, std::span<Sum> sum);

  /// The scale on which a model adds up units that are to be released on `grid`.
  static SumScale scale_of(const Model& model, double bound, double grid);

  /// What the passes gave. Parameters may be taken from it until fill().
  PerSample& samples() { return samples_; }

 private:
  enum class Way { kNone, kAsRecord, kAsRecords, kSummed };

  struct Unit {
    size_t begin;  ///< in rows_
    size_t end;
    Way way;
    double squared_norm;  ///< in the third way: not known yet
    GroupId group;
  };

  bool has_gradient(size_t row) const;
  std::span<const uint32_t> rows_of(const Unit& unit) const {
    return std::span(rows_).subspan(unit.begin, unit.end - unit.begin);
  }
  bool is_long() const { return rows_.size() > model_->max_tile_records(); }

  /// Sets way and norm.
  void look_at(Unit& unit, Scratch& scratch) const;

  /// use(unit, squared norm) for each one in a group that the policy knows. In the third way
  /// scratch.gradient is the unit's.
  template <typename Use>
  void for_each(std::span<const double> parameters, Scratch& scratch, const Use& use);

  /// Sets scratch.gradient. Its squared norm; NaN: no row has a gradient.
  double sum_gradients(const Unit& unit, Scratch& scratch) const;
  double sum_long_unit(std::span<const double> parameters, Scratch& scratch);

  /// What the policy sees of a unit; both stay where they are.
  GradientNorms norms_of(const double& squared_norm, const GroupId& group) const;
  double weight_of(double squared_norm, GroupId group, Scratch& scratch) const;

  /// The weight in the second way; none: to be summed.
  std::optional<double> weight_as_records(const Unit& unit, const SumScale& scale,
                                          Scratch& scratch) const;

  /// Never less than the norm of what a unit's rows add with this weight.
  double norm_as_records(const Unit& unit, double weight, const SumScale& scale,
                         Scratch& scratch) const;

  const EncodedTable* table_;
  const Model* model_;
  const ClipPolicy* clip_;
  std::vector<uint32_t> rows_;
  std::vector<Unit> units_;  // those that have rows
  PerSample samples_;        // of a long unit: of its last rows
};

}  // namespace equinoise
