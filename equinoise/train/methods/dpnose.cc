// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

namespace {

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
  const TrainingOptions& options() const override {
    static const TrainingOptions options =
        all_of({step_options(), clip_options(), residual_options()});
    return options;
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingConfig full = config;
    full.batch_size = static_cast<double>(facts.num_records);
    return plan_noisy_gradients("dpnose", full, facts, {}, starting_mean_release(full, facts), {},
                                residual_release(full, facts));
  }
};

}  // namespace

TrainingMethodRow dpnose_row() { return method_row<Dpnose>(); }

}  // namespace equinoise
