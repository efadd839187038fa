#include "equinoise/train/methods/raco_dp.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/train/iterates.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.raco_dp";

/// Whether `word` is the second of two. Errors: kUsage unless it is one of them.
bool is_second(std::string_view where, std::string_view field, const std::string& word,
               std::string_view first, std::string_view second) {
  if (word != first && word != second) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} must be {} or {}, got \"{}\"", field, first, second, word));
  }
  return word == second;
}

}  // namespace

RateLagrangian make_rate_lagrangian(std::string_view where, const TrainingConfig& config,
                                    const TrainingFacts& facts) {
  if (config.constraints == nullptr) {
    throw Error(ErrorKind::kUsage, where,
                "the method needs constraints; give --constraint, e.g. --constraint "
                "demographic_parity:sex:0.05, or --constraints FILE");
  }
  check_positive(where, "dual_learning_rate", config.dual_learning_rate);
  check_interval(where, "dual_learning_rate", config.dual_learning_rate, 0, 1e6);
  check_positive(where, "max_multiplier", config.max_multiplier);
  check_interval(where, "max_multiplier", config.max_multiplier, 0, 1e6);
  check_positive(where, "inverse_temperature", config.inverse_temperature);
  check_interval(where, "inverse_temperature", config.inverse_temperature, 0, 1e3);
  check_interval(where, "histogram_decay", config.histogram_decay, 0, 1 - 1e-6);
  check_positive(where, "push_limit", config.push_limit);
  check_interval(where, "push_limit", config.push_limit, 0, 1e6);
  check_interval(where, "clip_allowance", config.clip_allowance, 0, 1e6);
  return {
      config.constraints,
      {config.batch_size, facts.num_outputs, config.dual_learning_rate, config.max_multiplier,
       config.inverse_temperature, !is_second(where, "histogram", config.histogram, "hard", "soft"),
       config.histogram_decay, is_second(where, "multipliers", config.multipliers, "step", "mean"),
       first_averaged_step(config), config.push_limit, config.max_grad_norm,
       config.clip_allowance}};
}

std::vector<std::pair<std::string, double>> rate_settings(const TrainingConfig& config) {
  return {{"num_constraints", static_cast<double>(config.constraints->constraints.size())},
          {"num_cells", static_cast<double>(config.constraints->num_cells)},
          {"dual_learning_rate", config.dual_learning_rate},
          {"max_multiplier", config.max_multiplier},
          {"inverse_temperature", config.inverse_temperature},
          {"soft_histogram", config.histogram == "soft"},
          {"histogram_decay", config.histogram_decay},
          {"mean_moves_multipliers", config.multipliers == "mean"},
          {"clip_allowance", config.clip_allowance},
          {"push_limit", config.push_limit}};
}

TrainingPlan RacoDp::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  check_training_config(kWhere, config, facts);
  const RateLagrangian rates = make_rate_lagrangian(kWhere, config, facts);
  const bool is_laplace =
      is_second(kWhere, "histogram_noise", config.histogram_noise, "gaussian", "laplace");
  const SideRelease histogram{"histogram", rates.num_cells(), config.histogram_noise_multiplier,
                              is_laplace ? Event::Kind::kLaplace : Event::Kind::kGaussian};
  TrainingPlan plan = plan_noisy_gradients("raco_dp", config, facts, histogram);
  plan.noise_varies = config.clip_allowance > 0;
  plan.settings = rate_settings(config);
  plan.settings.emplace_back("histogram_noise_multiplier", plan.side_noise_multiplier);
  plan.settings.emplace_back("laplace_histogram", is_laplace);
  return plan;
}

std::unique_ptr<ClipPolicy> RacoDp::make_clip(const TrainingConfig& config,
                                              const TrainingFacts& facts) const {
  if (config.constraints == nullptr) return std::make_unique<FlatClip>(config.max_grad_norm);
  return std::make_unique<RateClip>(config.max_grad_norm, config.clip_allowance,
                                    make_rate_lagrangian(kWhere, config, facts));
}

}  // namespace equinoise
