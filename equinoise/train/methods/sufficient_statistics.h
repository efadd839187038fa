// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/regression/group_fit.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options of sufficient_statistics.
struct MomentOptions {
  std::optional<double> row_bound;       ///< [usual_row_bound]
  double target_bound = 3;               ///< see MomentBounds, on the scale of the encoded target
  GroupAim aim = GroupAim::kPopulation;  ///< for group_statistics, as the next one
  std::optional<double> loss_limit;      ///< required by GroupAim::kBounded
};

/// For methods that sum products of features.
const TrainingOptions& row_bound_options();

/// For methods that release moments of a number.
const TrainingOptions& moment_options();

/// Linear regression from one release of all sums for least squares: weighted sums of x x', x y, x,
/// 1, y and y^2. The results are a model whose slopes are shrunk by the part that noise hides
/// (shrunk_regression), and coefficients with intervals (coefficients_of). If the facts hold
/// groups, as for group_statistics, sums are per group, and the model is the one that fit_groups
/// aims for.
///
/// Relation: zero_out. Sensitivity: MomentSums::sensitivity() in L2, for all sums as one vector. A
/// record with features beyond row_bound has a smaller weight. Its target is clamped to within
/// target_bound of a center: the target's public mean, or a noisy mean that is released first
/// (release_mean). Cost: one Gaussian on full data, and that of the mean; the rest is
/// post-processing. If, by public facts, the noise on second moments would hide most of the slopes,
/// only the mean of the target is released, over the public number of records: null records count
/// as records of mean 0. Source: [VuSlavkovic2009] and [Wang2018] for one release of the moments.
///
/// Deviations: one Gaussian for all sums instead of a split budget. Slopes are a posterior mean
/// whose prior variance follows from the release, instead of a ridge that follows the smallest
/// eigenvalue. Records are weighted instead of scaled down.
class SufficientStatistics : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "sufficient_statistics",
      .status = PrivacyStatus::kPrivate,
      .source = "Wang2018",
      .summary =
          "linear regression from one release of the sums that least squares needs, with slopes "
          "shrunk by what noise hides",
      .is_stepwise = false,
      .takes_full_batches = true,
      .clips_otherwise = true,
      .trains = [](std::string_view model) { return model == "linear"; },
      .other_models =
          "trains linear regressions, got {}; use noisy_newton for two classes, else use dpsgd",
      .purpose =
          "for coefficients with intervals; where public facts say that noise hides the slopes, it "
          "predicts a noisy mean of the target alone",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;

 protected:
  /// The plan of the moments of each group of the facts, or of all records if there are no groups.
  TrainingPlan plan_moments(const TrainingConfig& config, const TrainingFacts& facts) const;
};

}  // namespace equinoise
