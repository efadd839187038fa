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

/// The least number of records for each thread: summing fewer takes less time than sharing them
/// out.
inline constexpr size_t kRecordsWorthAThread = 4096;

/// The kind of target: the residuals of a record, and their curvature.
enum class AdditiveTarget { kTwoClasses, kClasses, kNumber };

struct AdditiveDescentConfig {
  AdditiveTarget target = AdditiveTarget::kTwoClasses;
  size_t num_scores = 1;
  int64_t num_rounds = 50;
  double spread = 1;  ///< of a numeric target, on its encoded scale
  double start = 0;   ///< the first constant
  /// The noise on gradients over all rounds, relative to the largest contribution of one record in
  /// a round; 0: none.
  double noise = 0;
  int threads = 1;
};

/// Sums of gradients over all records of a table for an additive model in its design, to which each
/// record adds at most a public length.
///
/// A record's residuals r, (scores), are shortened so that |r| |x| <= length, x its features, and
/// then cut towards 0 on a grid. Sums over the records of each cell, and of all, are exact in
/// 64-bit integers, for any number of threads. The gradient follows from them by one linear map and
/// one rounding, so that the contribution of other records does not change the largest change by
/// one record.
class AdditiveGradients {
 public:
  /// `table` holds the model's cells (AdditiveModel::in_cells), which are those of the design: an
  /// entry of `active` is the index of its cell among the cells of all columns in turn. offsets:
  /// (records, scores), added to each record's scores; empty: nothing.
  AdditiveGradients(const EncodedTable& table, const AdditiveDesign& design,
                    const AdditiveDescentConfig& config, double length,
                    std::vector<double> offsets = {});

  /// (records, scores) at these parameters (AdditiveDesign::parameters), with the offsets. NOT
  /// PRIVATE.
  std::vector<double> scores(std::span<const double> parameters) const;

  /// (records, scores) The negative derivatives of the losses at these scores; 0 for records that
  /// do not contribute. NOT PRIVATE.
  std::vector<double> residuals(std::vector<double> scores) const;

  /// (scores, num_features) The sum of the negative gradients at these coefficients, of the same
  /// shape, in units of grid(). NOT PRIVATE.
  void sum_up(std::span<const double> coefficients, std::vector<int64_t>& units) const;

  /// The L2 sensitivity of the sums to one record, in units: its length, and the roundings.
  double sensitivity() const;
  double grid() const { return grid_; }

  const AdditiveDesign& design() const { return design_; }
  const AdditiveDescentConfig& config() const { return config_; }

  /// The variance of the noise on an entry of the sums of one round.
  double noise_variance() const;

 private:
  /// The scores of a record. added: each cell's addition to each score (AdditiveDesign).
  void score(std::span<const double> added, size_t record, std::span<double> scores) const;

  /// Adds the sums of residuals of some records, in units of residual_grid_: (scores, cells of all
  /// columns in turn), then (scores) of all.
  void add(std::span<const double> added, IndexRange rows, std::span<int64_t> sums) const;

  const EncodedTable& table_;
  const AdditiveDesign& design_;
  AdditiveDescentConfig config_;
  double length_;
  double grid_;
  double residual_grid_;
  double num_records_;
  std::vector<IndexRange> ranges_;  // of the rows, one for each thread
  std::vector<double> max_;         // (rows) the largest |r| of a record; 0: no contribution
  std::vector<double> offsets_;
};

/// A descent after some rounds, from which it may go on; each list is (scores, num_features).
struct AdditiveState {
  std::vector<double> coefficients;
  std::vector<double> mean;  ///< of the last noisy gradients
  double mean_variance = 0;  ///< of the noise on an entry of `mean`
  std::vector<double> sum;   ///< of all noisy gradients
  int64_t num_rounds = 0;
};

/// Descends along noisy gradients up to their config.num_rounds, from `state` or the beginning.
///
/// Each round moves along a mean over the last gradients. Every feature is scaled by its expected
/// squares, and the features of a part (AdditiveDesign::parts) are shrunk as far as noise explains
/// their mean gradient [JamesStein1961]. So a column that noise hides keeps its coefficients.
/// additive_rates gives the step lengths of a part. `add_noise` adds the paid noise to the units of
/// a round; after_round receives the coefficients and returns whether the descent goes on.
AdditiveState descend_additive(
    const AdditiveGradients& gradients,
    const std::function<void(int64_t round, std::vector<int64_t>& units)>& add_noise,
    const std::function<bool(int64_t round, std::span<const double>)>& after_round,
    AdditiveState state = {});

/// The gradients' design without the parts whose sums of gradients are no longer than noise alone
/// would be, with their coefficients set to 0: the others have less noise, since a record's length
/// is shared by fewer features. If more than half of the expected squares remain, all parts stay.
/// Post-processing of released gradients.
AdditiveDesign without_hidden_parts(const AdditiveGradients& gradients, AdditiveState& state);

/// The signal-to-noise ratio of an average coefficient over all rounds, as expected from the
/// design: records / (noise factor * typical norm * root of the number of coefficients).
double additive_signal(const AdditiveDesign& design, const AdditiveDescentConfig& config);

/// (parts) The step lengths of descend_additive along the gradients of each part.
///
/// The information about a coefficient is the contribution of all records to its gradient, divided
/// by the noise of all rounds. Steps are proportional to it for a single coefficient, a line or the
/// constant, so that noise changes scores by about as much along each of them. The coefficients of
/// a column's bins are shrunk together, which removes more of their noise, and their steps follow
/// its root. The factors were chosen on bench/zoo.
std::vector<double> additive_rates(const AdditiveDesign& design,
                                   const AdditiveDescentConfig& config);

/// The largest length of a record's contribution: longer residuals are more informative if there is
/// little noise.
double additive_length(const AdditiveDesign& design, const AdditiveDescentConfig& config);

}  // namespace equinoise
