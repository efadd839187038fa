// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/online_learner.h"

#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/train/worst_group/ball.h"

namespace equinoise {

namespace {

void check(double learning_rate) {
  check_positive("train.worst_group", "learning_rate", learning_rate);
}

}  // namespace

FollowTheLeader::FollowTheLeader(std::vector<double> start, double learning_rate, double radius,
                                 NoisyPrefixSums prefix_sums)
    : start_(std::move(start)),
      learning_rate_(learning_rate),
      radius_(radius),
      prefix_sums_(std::move(prefix_sums)),
      iterate_(start_) {
  check(learning_rate);
}

void FollowTheLeader::update(std::span<const double> gradient) {
  const std::vector<double> sum = prefix_sums_(gradient);
  for (size_t j = 0; j < iterate_.size(); ++j) iterate_[j] = start_[j] - learning_rate_ * sum[j];
  project_on_ball(radius_, iterate_);
}

NoisyDescent::NoisyDescent(std::vector<double> start, double learning_rate, double radius,
                           NoisyGradient noisy_gradient)
    : learning_rate_(learning_rate),
      radius_(radius),
      noisy_gradient_(std::move(noisy_gradient)),
      iterate_(std::move(start)) {
  check(learning_rate);
}

void NoisyDescent::update(std::span<const double> gradient) {
  const std::vector<double> noisy = noisy_gradient_(gradient);
  for (size_t j = 0; j < iterate_.size(); ++j) iterate_[j] -= learning_rate_ * noisy[j];
  project_on_ball(radius_, iterate_);
}

}  // namespace equinoise
