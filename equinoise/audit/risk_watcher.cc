// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/risk_watcher.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>

namespace equinoise {

void RiskWatcher::on_batch(const BatchView& view) {
  if (view.step % every_ != 0) return;
  const TrainingConfig& config = plan_.config;
  StepSetting step;
  step.gradients = sum_gradients(trained_, num_groups_, model_, view.parameters, view.clip,
                                 view.batch.repeated(), config.batch_size);
  step.batch_size = config.batch_size;
  step.learning_rate = learning_rate_at(config, view.step);
  const double bound = view.clip.bound();
  step.noise_stddev = std::isfinite(bound) ? plan_.noise_multiplier * bound : 0;
  points_.push_back(
      {view.step, step.learning_rate,
       excessive_risk(judged_, num_groups_, model_, view.parameters, view.clip, step, effort_)});
}

void RiskWatcher::try_batch(const BatchView& view) {
  if (!why_ended_.empty()) return;
  try {
    on_batch(view);
  } catch (const std::exception& error) {
    why_ended_ = fmt::format("the explanations end before step {}: {}", view.step, error.what());
  }
}

}  // namespace equinoise
