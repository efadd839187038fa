// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace equinoise {

/// lambda_i <- lambda_i exp(learning_rate * losses[i]), normalised, in logarithms; a weight of 0
/// stays 0. Post-processing of noisy losses. [AroraHazanKale2012]
void multiply_weights(double learning_rate, std::span<const double> losses,
                      std::span<double> lambda);

/// The first index i with uniform < p_0 + .. + p_i, or the last index.
size_t choose_by_weight(std::span<const double> probabilities, double uniform);

/// A bandit's weights over groups. Each step draws a group, receives a noisy loss of one of its
/// records, and moves towards groups with large losses. [AuerEtAl2002; ZhouBassily2024, Alg. 2]
///
/// Deviation: groups are drawn with probability (1 - exploration) lambda + exploration / p, which
/// bounds the estimates. The printed algorithm has no exploration but an offset U of all losses,
/// which makes every draw lower the weight of the drawn group.
struct BanditConfig {
  size_t num_groups = 2;
  double exploration = 0.1;
  double learning_rate = 0.2;
  double loss_bound = 1;
  double offset = 0;  ///< the printed U
};

class GroupBandit {
 public:
  /// Errors: kUsage for no group, an exploration outside [0, 1], or a rate or bound that is not >
  /// 0.
  explicit GroupBandit(const BanditConfig& config);

  std::span<const double> lambda() const { return lambda_; }
  std::vector<double> probabilities() const;  ///< (groups) of the next draw

  /// The group for this uniform number in [0, 1).
  size_t draw(double uniform) const;

  /// Takes a loss of the group, clamped to [0, loss_bound], plus noise. Returns the estimate of
  /// offset - loss that the weights follow.
  double hear(size_t group, double noisy_loss);

  double clamped(double loss) const;

 private:
  BanditConfig config_;
  std::vector<double> lambda_;
};

/// The noise multiplier of two or more Gaussian releases of one batch together: (sum 1 / s^2)^-1/2.
double joint_noise_multiplier(std::span<const double> noise_multipliers);

/// The division of a joint noise multiplier between losses, which have the share `loss_share` of
/// the precision 1 / s^2, and gradients.
struct NoiseSplit {
  double gradient = 0;
  double loss = 0;
};
NoiseSplit split_noise(double joint_noise_multiplier, double loss_share);

}  // namespace equinoise
