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
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(), residual_options()});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_with_means("dpsgd", config, facts);
  }
};

/// dpsgd on full batches: noisy gradient descent on all records with equal weights, without groups.
/// The baseline of [AlabiWiggins2024], also known as DP-GD.
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2. Cost: num_steps x Gaussian, and
/// those of the means that dpsgd releases, the same for all records. Deviation: steps are those of
/// the run's optimizer, the model is the mean of the last iterates, and no box holds parameters.
class Dpnose : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpnose",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary = "noisy gradient descent on all records without groups, the baseline of dpse",
      .supports_units = true,
      .takes_full_batches = true,
  };
  static TrainingOptions declared_options() {
    return all_of({step_options(), clip_options(), residual_options()});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingConfig full = config;
    full.batch_size = static_cast<double>(facts.num_records);
    return plan_with_means("dpnose", full, facts);
  }
};

}  // namespace

TrainingMethodRow dpsgd_row() { return method_row<DpSgd>(); }
TrainingMethodRow dpnose_row() { return method_row<Dpnose>(); }

}  // namespace equinoise
