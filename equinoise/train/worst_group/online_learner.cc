// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/online_learner.h"

#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/train/worst_group/ball.h"

namespace equinoise {

OnlineLearner::OnlineLearner(OnlineRule rule, std::vector<double> start, double learning_rate,
                             double radius)
    : rule_(rule),
      start_(std::move(start)),
      learning_rate_(learning_rate),
      radius_(radius),
      iterate_(start_) {
  check_positive("train.worst_group", "learning_rate", learning_rate);
}

void OnlineLearner::update(std::span<const double> noisy) {
  if (rule_ == OnlineRule::kTree) iterate_ = start_;
  for (size_t j = 0; j < iterate_.size(); ++j) iterate_[j] -= learning_rate_ * noisy[j];
  project_on_ball(radius_, iterate_);
}

}  // namespace equinoise
