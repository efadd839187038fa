// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/dp_fermi.h"

#include <algorithm>
#include <utility>

#include "equinoise/base/error.h"

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

}  // namespace

TrainingPlan DpFermi::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
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

std::unique_ptr<ClipPolicy> DpFermi::make_clip(const TrainingConfig& config,
                                               const TrainingFacts& facts) const {
  return std::make_unique<FermiClip>(config.max_grad_norm, ErmiPenalty(ermi_config(config, facts)));
}

const TrainingOptions& DpFermi::options() const {
  static const TrainingOptions options =
      all_of({batch_options(), step_options(), clip_options(),
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
  return options;
}

}  // namespace equinoise
