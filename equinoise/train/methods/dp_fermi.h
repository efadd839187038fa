// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/train/ermi_penalty.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// What the user chooses of dp_fermi: how hard it penalises, and how W ascends.
struct FermiOptions {
  double penalty = 1;                           ///< lambda
  double ascent_rate = 0.1;                     ///< of W
  std::optional<double> ascent_radius;          ///< of the ball that holds W [usual_ascent_radius]
  std::optional<double> ascent_clip;            ///< of a record's gradient at W [usual_ascent_clip]
  double ascent_noise_ratio = kSideNoiseRatio;  ///< of its noise to that of gradients, per clip
};

/// DP-FERMI: DP-SGD with a penalty on how far predictions tell a record's group, demographic parity
/// where it is 0, by stochastic gradient descent in the model and ascent in the matrix W of
/// ErmiPenalty. [LowyEtAl2023, Alg. 1]
///
/// Relation: zero_out, of full records. Sensitivity: a record moves the sum of gradients at the
/// model by at most max_grad_norm in L2, and that of gradients at W, each divided by ascent_clip,
/// by at most 1 (ErmiPenalty::add_sums); each is clipped by itself, whatever the other is. Cost:
/// num_steps Poisson batches with both Gaussians at the same model and W, which together are one of
/// multiplier (s_model^-2 + s_W^-2)^-1/2: an ordinary account of DP-SGD. The shares of groups are
/// those of the schema's public sizes, which are not protected; who is in which group is as
/// protected as everything else of a record.
///
/// Deviations: the paper protects the group alone and adds noise by a theorem; its code compares
/// norms of gradients that it has divided by the batch size with the clip, so that nothing is ever
/// clipped, clips none at W, takes batches of shuffled epochs for random ones, and learns shares
/// and the scales of features from the records (docs/theory/published-mistakes.md). The model is
/// the mean of the last iterates. More in ErmiPenalty.
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
  /// Errors: kUsage without two groups, or without a public size of each above 0.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

}  // namespace equinoise
