// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/train/fairlens_sum.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.fairlens";

/// The number of units of the sampler's grid in one standard deviation.
constexpr double kNoiseUnits = 0x1p30;

FairLensConfig config_of(const TrainingConfig& config, const TrainingFacts& facts) {
  const auto& own = config.own.of<FairLensOptions>();
  return {config.max_grad_norm, facts.num_groups, own.clipping_penalty, own.boundary_penalty};
}

/// No permit pays for this noise, and it gives no guarantee.
void add_unaccounted_noise(double stddev, std::span<double> sum, RandomSource& source) {
  std::vector<int64_t> units(sum.size(), 0);
  add_rounded_gaussian(kNoiseUnits, units, source);
  for (size_t j = 0; j < sum.size(); ++j) {
    sum[j] += static_cast<double>(units[j]) / kNoiseUnits * stddev;
  }
}

/// FairLens: DP-SGD whose loss has two penalties that are functions of the whole batch
/// (FairLensSum). NOT PRIVATE, whatever noise is added, and kept for comparison only: its plan is
/// empty and it refuses a target epsilon. noise_multiplier (default 0) is a parameter of the
/// experiment without any guarantee.
class FairLens : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "fairlens",
      .status = PrivacyStatus::kNotPrivate,
      .source = "EsipovaEtAl2023",
      .summary =
          "dpsgd with penalties on the effects of clipping and noise on groups, which depend on "
          "all records of a batch; for comparison only",
      .min_groups = 1,
      .trains = [](std::string_view model) { return model_facts(model).is_smooth; },
      .other_models =
          "needs second derivatives, which the loss of a {} model does not have; use logistic",
      .unexplained = "gradients of the loss alone, but the steps of {} also follow a penalty",
  };
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(),
         TrainingOptions{{{.name = "clipping_penalty",
                           .help = "Weight of the penalty on the effect of clipping on the "
                                   "gap between groups (the paper's gamma_1)",
                           .range = between(0, 1e6)},
                          kOwnTrainingField<&FairLensOptions::clipping_penalty>},
                         {{.name = "boundary_penalty",
                           .help = "Weight of the penalty on groups' closeness to the "
                                   "decision boundary (the paper's gamma_2)",
                           .range = between(0, 1e6)},
                          kOwnTrainingField<&FairLensOptions::boundary_penalty>}}});
  }

  /// The plan of gradients without the penalties, which need second derivatives.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    if (config.epsilon) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          "fairlens is not private and takes no --epsilon, because its penalties make every "
          "clipped vector depend on all records of the batch; --noise-multiplier adds noise "
          "without a guarantee; use dpsgd or dpsgd_f for a private model");
    }
    const FairLensConfig chosen = config_of(config, facts);
    TrainingPlan plan = plan_without_guarantee("fairlens", config, facts);
    plan.noise_multiplier = config.noise_multiplier.value_or(0);
    check_interval(kWhere, "noise_multiplier", plan.noise_multiplier, 0, 1e6);
    plan.noise_stddev = plan.noise_multiplier * config.max_grad_norm;
    plan.settings = {{"max_grad_norm", config.max_grad_norm},
                     {"noise_multiplier", plan.noise_multiplier},
                     {"noise_stddev", plan.noise_stddev},
                     {"num_groups", static_cast<double>(facts.num_groups)},
                     {"clipping_penalty", chosen.clipping_penalty},
                     {"boundary_penalty", chosen.boundary_penalty}};
    return plan;
  }

  TrainedModel run(TrainingRun training) const override {
    FairLensSum regularised(training.table, training.model,
                            config_of(training.plan.config, training.plan.facts));
    std::vector<double> sum;
    const PlainSum noisy_sum = [&](std::span<const uint32_t> batch,
                                   std::span<const double> parameters) {
      sum = regularised.clipped_sum(batch, parameters);
      if (training.plan.noise_stddev > 0)
        add_unaccounted_noise(training.plan.noise_stddev, sum, training.source);
      return std::span<const double>(sum);
    };
    FlatClip clip(training.plan.config.max_grad_norm);
    return run_plain_loop(std::move(training), clip, noisy_sum);
  }
};

}  // namespace

TrainingMethodRow fairlens_row() { return method_row<FairLens>(); }

}  // namespace equinoise
