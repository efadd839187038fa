// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/rate_clip.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// RaCO-DP: DP-SGD under rate constraints by stochastic gradient descent-ascent on the Lagrangian.
/// Each batch releases a histogram of its predictions, from which multipliers and the constraints'
/// part of every record's gradient follow, then the sum of the clipped gradients. Relation and
/// cost: run_noisy_loop; sensitivity: that of RateLagrangian for the histogram, the bound of
/// RateClip for the sum. [YaghiniEtAl2025, Alg. 1]
///
/// Deviations: those of RateLagrangian; both releases of a batch are charged as one event of that
/// batch, with Gaussian noise on the histogram unless Laplace is asked for; the clip bound follows
/// the constraints; the model is the mean of the last iterates, never a checkpoint chosen by data.
class RacoDp final : public NoisyGradientMethod {
 public:
  static const TrainingOptions& options();
  bool uses_constraints() const override { return true; }
  /// Errors: kUsage without constraints.
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  /// Without constraints, as where an audit explains a step along the gradient of the loss, the
  /// clip of a step that they leave alone.
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

/// Options of methods under rate constraints.
const TrainingOptions& rate_options();

/// The Lagrangian of a configuration. Errors: kUsage, naming `where` and the field.
RateLagrangian make_rate_lagrangian(std::string_view where, const TrainingConfig& config,
                                    const TrainingFacts& facts);

/// What a plan tells of it.
std::vector<std::pair<std::string, double>> rate_settings(const TrainingConfig& config);

}  // namespace equinoise
