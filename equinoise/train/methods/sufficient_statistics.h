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
  GroupAim aim = GroupAim::kPopulation;  ///< of group_statistics, as the next one
  std::optional<double> loss_limit;      ///< of GroupAim::kBounded, which needs it
};

/// Of methods that sum up products of features.
const TrainingOptions& row_bound_options();

/// Of methods that release moments of a number.
const TrainingOptions& moment_options();

/// Linear regression from one release of all that least squares needs: weighted sums of x x', x y,
/// x, 1, y and y^2. From it follow a model whose slopes are shrunk by what noise hides
/// (shrunk_regression), and coefficients with intervals (coefficients_of). Where the facts hold
/// groups, as those of group_statistics do, the sums are of each group, and the model is the one
/// that fit_groups aims for.
///
/// Relation: zero_out. Sensitivity: MomentSums::sensitivity() in L2, for all sums as one vector; a
/// record with features beyond row_bound counts less, its target is brought to within target_bound
/// of a center, which is the target's public mean, or where there is none a noisy one that is
/// released first (release_mean). Cost: one Gaussian on full data, and that of the mean; the rest
/// is post-processing. Where the noise on second moments is so large that most of what slopes are
/// would be lost, by public facts, the mean of the target is all that is released, over the public
/// number of records: null records count as records of mean 0. Source: [VuSlavkovic2009] and
/// [Wang2018] for one release of the moments.
///
/// Deviations: noise is that of one Gaussian for all sums, not of a split budget; slopes are a
/// posterior mean of which the prior's variance follows from the release, instead of a ridge that
/// follows the smallest eigenvalue; records are weighted instead of scaled down.
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
  /// The plan of the moments of each group of the facts, or of all records where these hold none.
  TrainingPlan plan_moments(const TrainingConfig& config, const TrainingFacts& facts) const;
};

}  // namespace equinoise
