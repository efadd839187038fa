// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "equinoise/synth/graph/domain.h"

namespace equinoise {

/// The logarithm of zero: the potential of an impossible combination.
inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

/// A table over a set of attributes: potentials (logarithms, kLogZero allowed), probabilities or
/// counts. `values` is row-major, the last attribute of the set fastest.
struct Factor {
  AttributeSet attributes;
  std::vector<double> values;
};

/// A factor with `value` in all cells. Errors: kUsage if the table would not fit into memory (more
/// than 2^31 cells).
Factor constant_factor(const Domain& domain, AttributeSet attributes, double value);

/// The memory of a table of so many cells.
inline double megabytes_of(double cells) { return cells * sizeof(double) / 0x1p20; }

/// Replaces numbers by their products with each of `next`, which varies fastest.
void multiply_out(std::vector<double>& products, std::span<const double> next);

/// Part of a table: codes [begin, end) of its first attribute that has more than one.
struct Slice {
  size_t begin = 0;
  size_t end = std::numeric_limits<size_t>::max();
};

/// Maps the cells of a table over `outer` to those of a table over a subset. It consists of nested
/// loops over the outer table in its own order, with neighbours of one kind merged, so that the
/// innermost runs over whole blocks.
///
/// Operations on disjoint slices of the outer table may run at once if they write to that table, or
/// to a small one that has the sliced attribute.
class Broadcast {
 public:
  /// `subset` must be contained in `outer`.
  Broadcast(const Domain& domain, const AttributeSet& outer, const AttributeSet& subset);

  /// outer += small, along the attributes that `small` lacks.
  void add_to(std::span<double> outer, std::span<const double> small, Slice slice = {}) const;
  /// outer *= small, in the same way.
  void multiply_into(std::span<double> outer, std::span<const double> small,
                     Slice slice = {}) const;
  /// small += sums of `outer` over the attributes that `small` lacks.
  void sum_onto(std::span<const double> outer, std::span<double> small, Slice slice = {}) const;
  /// small = maxima of `outer`, in the same way, where the slice falls.
  void max_onto(std::span<const double> outer, std::span<double> small, Slice slice = {}) const;
  /// exponentials = exp(outer - shifts), and sums = their sums, in the same way, where the slice
  /// falls.
  void exponentiate_onto(std::span<const double> outer, std::span<const double> shifts,
                         std::span<double> exponentials, std::span<double> sums,
                         Slice slice = {}) const;

  size_t outer_cells() const { return outer_cells_; }
  size_t small_cells() const { return small_cells_; }
  /// The number of codes that slices can distinguish; 1: the table cannot be cut.
  size_t num_sliceable() const { return loops_.empty() ? 1 : loops_.front().length; }
  /// Returns whether the small table has the attribute that is sliced.
  bool slices_small() const { return !loops_.empty() && loops_.front().small_stride != 0; }
  /// The cells of a small table that a slice maps to.
  std::span<double> marginalised(std::span<double> small, Slice slice) const;

 private:
  struct Loop {
    size_t length;
    size_t outer_stride;
    size_t small_stride;  // 0: the subset lacks it
  };

  /// Calls body(outer offset, small offset) for each innermost block of the slice.
  template <typename Body>
  void for_each_block(Slice slice, const Body& body) const;

  std::vector<Loop> loops_;  // without the innermost one; the first is never merged
  Loop block_ = {1, 1, 0};
  size_t outer_cells_ = 1;
  size_t small_cells_ = 1;
};

/// small = logarithms of sums of exponentials of `outer`, without overflow; kLogZero if all terms
/// are. `exponentials` is overwritten, as long as outer.
void log_sum_exp_onto(const Broadcast& onto, std::span<const double> outer, std::span<double> small,
                      std::span<double> exponentials);

/// values = exp(values - shift), vectorised; exp(-inf) = 0.
void exponentiate(std::span<double> values, double shift);

/// Reorders a table with the attributes `from` (row-major) to the order `to`, a permutation of it;
/// `result` is as long as `values`.
void reorder_table(const Domain& domain, const std::vector<int>& from, const std::vector<int>& to,
                   std::span<const double> values, std::span<double> result);
std::vector<double> reordered_table(const Domain& domain, const std::vector<int>& from,
                                    const std::vector<int>& to, std::span<const double> values);

}  // namespace equinoise
