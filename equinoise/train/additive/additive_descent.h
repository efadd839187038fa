// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "equinoise/base/parallel.h"
#include "equinoise/data/encoder.h"
#include "equinoise/train/additive/additive_design.h"

namespace equinoise {

/// Fewer are summed up sooner than they are shared out.
inline constexpr size_t kRecordsWorthAThread = 4096;

/// What scores mean: the residuals of a record, and how much they curve.
enum class AdditiveTarget { kTwoClasses, kClasses, kNumber };

struct AdditiveDescentConfig {
  AdditiveTarget target = AdditiveTarget::kTwoClasses;
  size_t num_scores = 1;
  int64_t num_rounds = 50;
  double spread = 1;  ///< of a numeric target, on its encoded scale
  double start = 0;   ///< the first constant
  /// Of all noise on gradients together, as a part of what one record can add in a round; 0: none.
  double noise = 0;
  int threads = 1;
};

/// Sums of gradients over all records of a table for an additive model in its design, of which each
/// record adds at most a public length.
///
/// A record's residuals r, (scores), are shortened so that |r| |x| <= length, x its features, and
/// then cut towards 0 on a grid. Sums over the records of each cell, and of all, are exact in
/// 64-bit integers, whatever the number of threads; the gradient follows from them by one linear
/// map and one rounding, so that what another record adds changes nothing of what a record may
/// change.
class AdditiveGradients {
 public:
  /// table: of the model's cells (AdditiveModel::in_cells), which are those of the design: an entry
  /// of `active` is the place of its cell among the cells of all columns in turn.
  AdditiveGradients(const EncodedTable& table, const AdditiveDesign& design,
                    const AdditiveDescentConfig& config, double length);

  /// (scores, num_features) the sum of the negative gradients at these coefficients, of the same
  /// shape, in units of grid(). NOT PRIVATE.
  void sum_up(std::span<const double> coefficients, std::vector<int64_t>& units) const;

  /// What one record can change these by, in L2 and units: its length, and the roundings.
  double sensitivity() const;
  double grid() const { return grid_; }

 private:
  struct CellSums;

  /// Adds those of some records. added: what each cell adds to each score (AdditiveDesign).
  void add(std::span<const double> added, IndexRange records, CellSums& sums) const;

  const EncodedTable& table_;
  const AdditiveDesign& design_;
  AdditiveDescentConfig config_;
  double length_;
  double grid_;
  double residual_grid_;
  double num_records_;
  std::vector<IndexRange> ranges_;  // of the rows, one for each thread
  std::vector<double> most_;        // (rows) the largest |r| of a record; 0: no contribution
};

/// Coefficients, (scores, num_features), after descent along noisy gradients.
///
/// Each round moves along a mean over the last gradients, every feature by its expected squares,
/// and the features of a part (AdditiveDesign::parts) by as much as noise does not explain of their
/// mean gradient [JamesStein1961]: a column of which noise hides all stays where it is. How long
/// the steps of a part are says additive_rates. `add_noise` adds to the units
/// of a round what has been paid for; after_round sees the coefficients.
std::vector<double> descend_additive(
    const AdditiveGradients& gradients, const AdditiveDesign& design,
    const AdditiveDescentConfig& config, double length,
    const std::function<void(int64_t round, std::vector<int64_t>& units)>& add_noise,
    const std::function<void(int64_t round, std::span<const double>)>& after_round);

/// How many times the noise of all rounds an average coefficient can be told, as the design says:
/// records over (what noise multiplies, the typical norm, the root of the coefficients).
double additive_signal(const AdditiveDesign& design, const AdditiveDescentConfig& config);

/// (parts) how far the steps of descend_additive go along the gradients of each part.
///
/// What can be told of a coefficient is what all records add to its gradient, over the noise of all
/// rounds. Steps are in proportion to it for a single coefficient, a line or the constant, so that
/// noise moves scores by about as much along each of them. The coefficients of a column's bins are
/// shrunk together, which takes more of their noise back, and their steps follow its root. The
/// factors were chosen on bench/zoo.
std::vector<double> additive_rates(const AdditiveDesign& design,
                                   const AdditiveDescentConfig& config);

/// The length that a record adds at most: longer residuals tell more where there is little noise.
double additive_length(const AdditiveDesign& design, const AdditiveDescentConfig& config);

}  // namespace equinoise
