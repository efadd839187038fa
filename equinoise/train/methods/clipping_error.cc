// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/clipping_error.h"

#include "equinoise/train/gradient_sums.h"

namespace equinoise {

TrainingPlan ClippingError::make_plan(const TrainingConfig& config,
                                      const TrainingFacts& facts) const {
  TrainingPlan plan = plan_without_guarantee(traits().name, config, facts);
  plan.settings = {{"max_grad_norm", config.max_grad_norm}};
  return plan;
}

TrainedModel ClippingError::run(TrainingRun training) const {
  FlatClip clip(training.plan.config.max_grad_norm);
  GradientSums sums;
  const PlainSum error = [&](std::span<const uint32_t> batch, std::span<const double> parameters) {
    sums = sum_gradients(training.table, 0, training.model, parameters, clip, batch, 1);
    std::vector<double>& along = error_ == Error::kMagnitude ? sums.plain : sums.clipped;
    const double length = norm(error_ == Error::kMagnitude ? sums.clipped : sums.plain);
    const double own_length = norm(along);
    for (double& value : along) value *= own_length > 0 ? length / own_length : 0;
    return std::span<const double>(along);
  };
  return run_plain_loop(std::move(training), clip, error);
}

}  // namespace equinoise
