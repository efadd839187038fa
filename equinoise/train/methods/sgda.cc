#include "equinoise/train/methods/sgda.h"

#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/train/methods/raco_dp.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.sgda";

}  // namespace

TrainingPlan Sgda::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  check_training_config(kWhere, config, facts);
  make_rate_lagrangian(kWhere, config, facts);
  if (config.epsilon || config.noise_multiplier) {
    throw Error(ErrorKind::kUsage, kWhere,
                "sgda is not private and takes neither --epsilon nor --noise-multiplier; use "
                "raco_dp for a private model");
  }
  TrainingPlan plan{"sgda", config, facts};
  plan.sample_rate = config.batch_size / static_cast<double>(facts.num_records);
  plan.settings = rate_settings(config);
  return plan;
}

std::unique_ptr<ClipPolicy> Sgda::make_clip(const TrainingConfig& config,
                                            const TrainingFacts& facts) const {
  if (config.constraints == nullptr) return std::make_unique<NoClip>();
  return std::make_unique<RateClip>(std::numeric_limits<double>::infinity(), 0,
                                    make_rate_lagrangian(kWhere, config, facts));
}

TrainedModel Sgda::run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                       TrainingState start, Charge charge, RandomSource& source,
                       StepObserver& observer) const {
  static_cast<void>(charge);
  return run_plain_loop(table, model, *make_clip(plan.config, plan.facts), plan, std::move(start),
                        source, observer);
}

}  // namespace equinoise
