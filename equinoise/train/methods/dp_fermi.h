// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/train/ermi_penalty.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// The user's choices for dp_fermi: the penalty and the ascent of W.
struct FermiOptions {
  double penalty = 1;                   ///< lambda
  double ascent_rate = 0.1;             ///< of W
  std::optional<double> ascent_radius;  ///< of the ball that holds W [usual_ascent_radius]
  std::optional<double> ascent_clip;    ///< of a record's gradient at W [usual_ascent_clip]
  /// Ratio of its noise to that of gradients, per clip.
  double ascent_noise_ratio = kSideNoiseRatio;
};

/// DP-FERMI: DP-SGD with a penalty on the dependence between predictions and groups, which is 0
/// under demographic parity. Stochastic gradient descent in the model, and ascent in the matrix W
/// of ErmiPenalty. [LowyEtAl2023, Alg. 1]
///
/// Relation: zero_out, of full records. Sensitivity: a record moves the sum of gradients at the
/// model by at most max_grad_norm in L2, and the sum of gradients at W, each divided by
/// ascent_clip, by at most 1 (ErmiPenalty::add_sums); the two are clipped independently. Cost:
/// num_steps Poisson batches with both Gaussians at the same model and W, which together are one of
/// multiplier (s_model^-2 + s_W^-2)^-1/2: an ordinary account of DP-SGD. The shares of groups are
/// the schema's public sizes, which are not protected. A record's group is protected like its other
/// values.
///
/// Deviations: the paper protects the group only, with noise from a theorem. Its code compares
/// norms of gradients that are already divided by the batch size with the clip, so that it never
/// clips; it does not clip gradients at W, uses batches of shuffled epochs as random ones, and
/// learns shares and the scales of features from the records (docs/theory/published-mistakes.md).
/// The model is the mean of the last iterates. More in ErmiPenalty.
class DpFermi final : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dp_fermi",
      .status = PrivacyStatus::kPrivate,
      .source = "LowyEtAl2023",
      .summary =
          "dpsgd with a penalty on what predictions tell of groups; raco_dp bounds that instead",
      .min_groups = 2,
      .trains = [](std::string_view model) { return model == "logistic" || model == "softmax"; },
      .other_models =
          "trains logistic and softmax models, not {}; raco_dp trains any model of classes towards "
          "demographic parity",
      .is_explained = false,
      .unexplained = "gradients of the loss alone, but the steps of {} also follow a penalty",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  /// Errors: kUsage with fewer than two groups, or without a public size above 0 for each.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

}  // namespace equinoise
