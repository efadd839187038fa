// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/train/ermi_penalty.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

constexpr const char* kFermi = "train.dp_fermi";

/// Gradients of the loss and the penalty together, clipped to max_grad_norm.
class FermiClip final : public ClipPolicy {
 public:
  FermiClip(double max_grad_norm, ErmiPenalty penalty)
      : flat_(max_grad_norm), penalty_(std::move(penalty)) {}

  double bound() const override { return flat_.bound(); }
  ErmiPenalty* term() override { return &penalty_; }
  const ErmiPenalty* term() const override { return &penalty_; }
  std::vector<double> state() const override { return {penalty_.w().begin(), penalty_.w().end()}; }
  void restore(std::span<const double> state) override { penalty_.restore(state); }

 private:
  FlatClip flat_;
  ErmiPenalty penalty_;
};

ErmiConfig ermi_config(const TrainingConfig& config, const TrainingFacts& facts) {
  ErmiConfig ermi;
  for (size_t k = 0; k < facts.num_groups; ++k) {
    if (const std::string why = why_not_divided(facts.groups, k); !why.empty())
      throw Error(ErrorKind::kUsage, kFermi, why);
    ermi.shares.push_back(*facts.groups.shares[k]);
  }

  const auto& own = config.own.of<FermiOptions>();
  ermi.batch_size = config.batch_size;
  ermi.num_outputs = facts.num_outputs;
  ermi.num_classes = std::max<size_t>(facts.num_outputs, 2);
  ermi.penalty = own.penalty;
  ermi.ascent_rate = own.ascent_rate;
  ermi.ascent_radius =
      own.ascent_radius.value_or(usual_ascent_radius(ermi.shares, ermi.num_classes));
  ermi.ascent_clip = own.ascent_clip.value_or(usual_ascent_clip(ermi.shares));
  return ermi;
}

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
class DpFermi : public NoisyGradientMethod {
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
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(),
         TrainingOptions{
             {{.name = "penalty",
               .help = "Weight of the penalty on what predictions tell of groups (the paper's "
                       "lambda); 0: none",
               .range = between(0, 1e6)},
              kOwnTrainingField<&FermiOptions::penalty>},
             {{.name = "ascent_rate",
               .help = "Learning rate of the matrix W, by which the penalty follows the model",
               .range = positive(1e6)},
              kOwnTrainingField<&FermiOptions::ascent_rate>},
             {{.name = "ascent_radius",
               .help = "Largest norm of W",
               .range = positive(1e6),
               .derived = "root of the number of classes over the smallest group's share, "
                          "which no best W exceeds"},
              kOwnTrainingField<&FermiOptions::ascent_radius>},
             {{.name = "ascent_clip",
               .help = "Largest norm of a record's gradient at W; longer ones are clipped",
               .range = between(1e-6, 1e6),
               .derived = "2 over the root of the smallest group's share, which only records "
                          "of predictions that tell their group exceed"},
              kOwnTrainingField<&FermiOptions::ascent_clip>},
             {{.name = "ascent_noise_ratio",
               .help = "Noise on W's gradients per unit of their clip, as a multiple of "
                       "--noise-multiplier: with less, dependence is known better and "
                       "gradients of the model worse",
               .range = positive(1e6)},
              kOwnTrainingField<&FermiOptions::ascent_noise_ratio>}}});
  }

  /// Errors: kUsage with fewer than two groups, or without a public size above 0 for each.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    const ErmiConfig ermi = ermi_config(config, facts);
    const auto& own = config.own.of<FermiOptions>();
    SideRelease at_w;
    at_w.name = "ascent sum";
    at_w.size = facts.num_groups * ermi.num_classes;
    at_w.noise_ratio = own.ascent_noise_ratio;
    TrainingPlan plan = plan_noisy_gradients("dp_fermi", config, facts, at_w);
    plan.settings.insert(plan.settings.end(),
                         {{"num_groups", static_cast<double>(facts.num_groups)},
                          {"penalty", ermi.penalty},
                          {"ascent_rate", ermi.ascent_rate},
                          {"ascent_radius", ermi.ascent_radius},
                          {"ascent_clip", ermi.ascent_clip},
                          {"ascent_noise_multiplier", plan.side_noise_multiplier}});
    return plan;
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override {
    return std::make_unique<FermiClip>(config.max_grad_norm,
                                       ErmiPenalty(ermi_config(config, facts)));
  }
};

}  // namespace

TrainingMethodRow dp_fermi_row() { return method_row<DpFermi>(); }

}  // namespace equinoise
