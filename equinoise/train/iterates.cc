// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/iterates.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/train/optimizer.h"
#include "equinoise/train/worst_group/ball.h"

namespace equinoise {

double tail_average_of(const TrainingConfig& config) {
  return config.tail_average.value_or(config.constraints == nullptr ? kTailAverage
                                                                    : kTailAverageOfConstraints);
}

int64_t first_averaged_step(const TrainingConfig& config) {
  const double share = tail_average_of(config) * static_cast<double>(config.num_steps);
  return config.num_steps - std::max<int64_t>(1, std::llround(share));
}

Iterates::Iterates(const TrainingPlan& plan, TrainingState start,
                   std::span<const double> step_scales, double box, double radius)
    : config_(plan.config),
      step_scales_(step_scales),
      box_(box),
      radius_(radius),
      first_averaged_(first_averaged_step(plan.config)),
      state_(std::move(start)) {
  const size_t size = plan.facts.num_parameters;
  const size_t kept = optimizer_state_size(config_.optimizer, size);
  if (state_.num_steps_done == 0) state_.optimizer.resize(kept, 0.0);
  if (state_.parameters.size() != size || state_.average.size() != size ||
      state_.optimizer.size() != kept || state_.num_steps_done < 0 ||
      state_.num_steps_done > config_.num_steps) {
    throw Error(ErrorKind::kRuntime, "train.loop", "the state does not belong to this plan");
  }
}

template <typename Sum>
void Iterates::update(std::span<const Sum> sum, double scale) {
  const int64_t step = state_.num_steps_done++;
  const double to_mean = scale / config_.batch_size;
  const auto take = [&](const auto& gradient) {
    take_step(config_.optimizer, step, learning_rate_at(config_, step), to_mean, gradient,
              std::span<double>(state_.parameters), std::span<double>(state_.optimizer));
  };
  if (step_scales_.empty()) {
    take(sum);
  } else {
    scaled_.assign(sum.begin(), sum.end());
    for (size_t j = 0; j < scaled_.size(); ++j) scaled_[j] *= step_scales_[j];
    take(std::span<const double>(scaled_));
  }
  if (std::isfinite(box_))
    for (double& parameter : state_.parameters) parameter = std::clamp(parameter, -box_, box_);
  project_on_ball(radius_, state_.parameters);
  if (step < first_averaged_) return;
  const double share = 1 / static_cast<double>(step - first_averaged_ + 1);
  for (size_t j = 0; j < sum.size(); ++j)
    state_.average[j] += share * (state_.parameters[j] - state_.average[j]);
}

template void Iterates::update(std::span<const int64_t> sum, double scale);
template void Iterates::update(std::span<const double> sum, double scale);

}  // namespace equinoise
