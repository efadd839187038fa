// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/train/loop.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options of methods that take noisy steps along clipped gradients: the mean of the residuals that
/// clipping leaves.
struct ResidualOptions {
  std::optional<double> residual_share;  ///< of the precision of the whole release; 0: no release
};
const TrainingOptions& residual_options();

/// Errors: kUsage, naming `where`, for a share in a run whose target is no number with bounds.
void check_residual_share(std::string_view where, const TrainingConfig& config,
                          const TrainingFacts& facts);

/// (parts) The public number of records behind the mean of residuals of each part of a model, in
/// records of the largest weight. A model for each group has a number for each group, any other
/// model has one. weights: (num_groups) as ClipPolicy::group_weights. 0: unknown.
std::vector<double> residual_sizes(const TrainingFacts& facts, std::span<const double> weights,
                                   bool has_model_per_group);

/// The release of these means after the last step, for plan_noisy_gradients. It is empty if the
/// target is no number with bounds, a size that it needs is not declared, or its noise may do more
/// harm than clipping.
///
/// Its noise is kEnoughNoise of the spread that the schema suggests, a negligible part of a large
/// budget. But it takes no more than kMaxResidualShare of the precision of the whole release, and
/// it is left out if its noise is above kMaxResidualNoise of the spread. A configured share
/// overrides all of it.
FullRelease residual_release(const TrainingConfig& config, const TrainingFacts& facts,
                             const std::vector<double>& sizes);
FullRelease residual_release(const TrainingConfig& config, const TrainingFacts& facts);

/// The event of the mean residual, with the error of its sampler.
Event residual_part(Event noise, size_t num_draws = 1);

/// Notes the noise of the mean residual in a plan, and among its settings; 0: there is no such
/// release.
void set_residual_noise(double noise_multiplier, TrainingPlan& plan);

/// The mean residual as the last item of a plan, or nothing.
class ResidualItem {
 public:
  explicit ResidualItem(FullRelease release)
      : release_(std::move(release)), is_released_(release_.event != nullptr) {}

  /// Its own noise multiplier next to steps with multiplier `of_steps`; 0: there is no release.
  double noise_multiplier(double of_steps) const;

  /// Adds its event to those of steps with that noise multiplier.
  void add_to(std::vector<Event>& events, double noise_multiplier) const;

  /// choose_noise_multiplier for `events`, which include this one. It is left out if it would have
  /// more noise than its release may have.
  double calibrate(const TrainingConfig& config,
                   const std::function<std::vector<Event>(double)>& events);

  /// Adds the item to a plan that has the noise multiplier of its steps.
  void add_to(TrainingPlan& plan) const;

 private:
  FullRelease release_;
  bool is_released_;
};

/// The input of a sum of residuals.
struct ResidualParts {
  size_t num_parts = 1;             ///< of the model: one for each group, or 1
  size_t num_groups = 0;            ///< records of others add nothing; 0: without groups
  std::vector<double> shares = {};  ///< (num_groups) the weight of a record, at most 1, or empty
};

/// (num_parts) The sums of residuals over the units of a table. A unit's residual is the mean over
/// its rows of target - prediction, both clipped to the target's bounds, divided by their width. It
/// is multiplied by the share of the group of its first row that is not null, as in UnitTile. Null
/// rows, rows that are not finite and rows of no known group do not count, nor does a unit whose
/// first row is of none. In units of `grid`, cut towards 0. NOT PRIVATE.
std::vector<int64_t> residual_sums(const EncodedTable& table, const TargetScale& target,
                                   std::span<const double> predictions, const ResidualParts& parts,
                                   double grid);

/// The L2 sensitivity of the sums to a unit of a group with that share.
double residual_sensitivity(double share, double grid);

/// `parameters` with the mean residual of each part of the model added to its intercept, the last
/// of its parameters, shrunk as far as noise explains it. Clipping shortens the long gradients of a
/// skewed target, which all point to one side, so that predictions are too low without this; slopes
/// stay unchanged. weights: (num_groups) the weight of a record's loss in each group, from public
/// facts and releases; empty: equal weights. num_groups: records of others do not count; 0: without
/// groups.
///
/// Relation: zero_out. Sensitivity: residual_sensitivity, the width of the target's bounds times a
/// record's weight; sums are divided by residual_sizes, which are public. Cost: the last item of
/// the plan, one Gaussian on full data, for all records or for each group. It is a part of the
/// charge, which a resumed run still holds before its last state. Result independent of
/// plan.config.threads. Edge case: predictions at a bound do not change with the intercept, so that
/// their share of the mean residual remains.
std::vector<double> without_mean_residual(TrainingRun& training, size_t num_groups,
                                          std::span<const double> weights,
                                          std::vector<double> parameters);

}  // namespace equinoise
