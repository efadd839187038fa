// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

namespace {

/// DP-SGD: flat per-sample clipping to max_grad_norm and one Gaussian release per Poisson batch.
/// [AbadiEtAl2016, Alg. 1]
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2. Cost: num_steps x
/// Poisson-sampled Gaussian. Two more Gaussians for a regression: the mean from which it starts, if
/// the target has no public mean (starting_mean_release), and the mean residual that clips leave
/// (residual_release). Every group has the same guarantee; accuracy differs between groups, as the
/// report shows.
class DpSgd : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpsgd",
      .status = PrivacyStatus::kPrivate,
      .source = "AbadiEtAl2016",
      .summary = "per-sample clipping and Gaussian noise on Poisson batches",
      .supports_units = true,
  };
  const TrainingOptions& options() const override {
    static const TrainingOptions options =
        all_of({batch_options(), step_options(), clip_options(), residual_options()});
    return options;
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_noisy_gradients("dpsgd", config, facts, {}, starting_mean_release(config, facts),
                                {}, residual_release(config, facts));
  }
};

}  // namespace

TrainingMethodRow dpsgd_row() { return method_row<DpSgd>(); }

}  // namespace equinoise
