// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/group_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

}  // namespace

void multiply_weights(double learning_rate, std::span<const double> losses,
                      std::span<double> lambda) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double largest = -kInfinity;
  std::vector<double> logarithms;
  for (size_t i = 0; i < lambda.size(); ++i) {
    logarithms.push_back(lambda[i] > 0 ? std::log(lambda[i]) + learning_rate * losses[i]
                                       : -kInfinity);
    largest = std::max(largest, logarithms.back());
  }
  double sum = 0;
  for (size_t i = 0; i < lambda.size(); ++i) {
    lambda[i] = std::exp(logarithms[i] - largest);
    sum += lambda[i];
  }
  for (double& weight : lambda) weight /= sum;
}

size_t choose_by_weight(std::span<const double> probabilities, double uniform) {
  double sum = 0;
  for (size_t i = 0; i + 1 < probabilities.size(); ++i) {
    sum += probabilities[i];
    if (uniform < sum) return i;
  }
  return probabilities.size() - 1;
}

GroupBandit::GroupBandit(const BanditConfig& config)
    : config_(config), lambda_(config.num_groups, 1 / static_cast<double>(config.num_groups)) {
  check_positive(kWhere, "number of groups", static_cast<double>(config.num_groups));
  check_interval(kWhere, "exploration", config.exploration, 0, 1);
  check_positive(kWhere, "group_learning_rate", config.learning_rate);
  check_positive(kWhere, "loss_bound", config.loss_bound);
}

std::vector<double> GroupBandit::probabilities() const {
  std::vector<double> probabilities;
  const double least = config_.exploration / static_cast<double>(lambda_.size());
  for (const double weight : lambda_)
    probabilities.push_back((1 - config_.exploration) * weight + least);
  return probabilities;
}

size_t GroupBandit::draw(double uniform) const {
  return choose_by_weight(probabilities(), uniform);
}

double GroupBandit::clamped(double loss) const { return std::clamp(loss, 0.0, config_.loss_bound); }

double GroupBandit::hear(size_t group, double noisy_loss) {
  const double estimate = config_.offset - noisy_loss;
  std::vector<double> losses(lambda_.size());
  losses[group] = -estimate / probabilities()[group];
  multiply_weights(config_.learning_rate, losses, lambda_);
  return estimate;
}

double joint_noise_multiplier(std::span<const double> noise_multipliers) {
  double precision = 0;
  for (const double multiplier : noise_multipliers) {
    check_positive(kWhere, "noise_multiplier", multiplier);
    precision += 1 / (multiplier * multiplier);
  }
  return 1 / std::sqrt(precision);
}

NoiseSplit split_noise(double joint_noise_multiplier, double loss_share) {
  check_positive(kWhere, "noise_multiplier", joint_noise_multiplier);
  check_open_interval(kWhere, "loss_share", loss_share, 0, 1);
  return {joint_noise_multiplier / std::sqrt(1 - loss_share),
          joint_noise_multiplier / std::sqrt(loss_share)};
}

}  // namespace equinoise
