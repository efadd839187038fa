// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace equinoise {

/// A learner that receives one gradient after another; the caller decides the source of noise.
class OnlineLearner {
 public:
  virtual ~OnlineLearner() = default;

  /// The current iterate, (num_parameters).
  virtual std::span<const double> iterate() const = 0;

  /// Takes the gradient at the current iterate.
  virtual void update(std::span<const double> gradient) = 0;
};

/// A learner's view of a sequence of gradients: called with each of them, it returns the noisy sum
/// of all so far.
using NoisyPrefixSums = std::function<std::vector<double>(std::span<const double> gradient)>;

/// w_{t+1} = Proj(w_1 - learning_rate * noisy sum of the first t gradients), on the ball of
/// `radius` about 0. [KairouzEtAl2021, DP-FTRL without momentum]
class FollowTheLeader final : public OnlineLearner {
 public:
  FollowTheLeader(std::vector<double> start, double learning_rate, double radius,
                  NoisyPrefixSums prefix_sums);
  std::span<const double> iterate() const override { return iterate_; }
  void update(std::span<const double> gradient) override;

 private:
  std::vector<double> start_;
  double learning_rate_;
  double radius_;
  NoisyPrefixSums prefix_sums_;
  std::vector<double> iterate_;
};

/// A learner's view of one gradient.
using NoisyGradient = std::function<std::vector<double>(std::span<const double> gradient)>;

/// w_{t+1} = Proj(w_t - learning_rate * noisy gradient): each gradient has separate noise, as a
/// record that reports its own gradient would add. Without a tree, for comparison.
/// [BassilySmithThakurta2014]
class NoisyDescent final : public OnlineLearner {
 public:
  NoisyDescent(std::vector<double> start, double learning_rate, double radius,
               NoisyGradient noisy_gradient);
  std::span<const double> iterate() const override { return iterate_; }
  void update(std::span<const double> gradient) override;

 private:
  double learning_rate_;
  double radius_;
  NoisyGradient noisy_gradient_;
  std::vector<double> iterate_;
};

}  // namespace equinoise
