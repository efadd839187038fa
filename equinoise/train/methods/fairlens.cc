// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/fairlens.h"

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/train/fairlens_sum.h"

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

}  // namespace

TrainingPlan FairLens::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  if (config.epsilon) {
    throw Error(ErrorKind::kUsage, kWhere,
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

TrainedModel FairLens::run(TrainingRun training) const {
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

const TrainingOptions& FairLens::options() const {
  static const TrainingOptions options =
      all_of({batch_options(), step_options(), clip_options(),
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
  return options;
}

}  // namespace equinoise
