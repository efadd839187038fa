// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

/// A learner that receives one noisy gradient after another; the caller adds the noise.
///
/// kTree: w_{t+1} = Proj(w_1 - learning_rate * noisy sum of the first t gradients), on the ball of
/// `radius` about 0. [KairouzEtAl2021, DP-FTRL without momentum]
///
/// kDescent: w_{t+1} = Proj(w_t - learning_rate * noisy gradient): each gradient has separate
/// noise, as a record that reports its own gradient would add. Without a tree, for comparison.
/// [BassilySmithThakurta2014]
class OnlineLearner {
 public:
  OnlineLearner(OnlineRule rule, std::vector<double> start, double learning_rate, double radius);

  /// The current iterate, (num_parameters).
  std::span<const double> iterate() const { return iterate_; }

  /// Takes the noisy gradient at the current iterate; for kTree the noisy sum of all so far.
  void update(std::span<const double> noisy);

 private:
  OnlineRule rule_;
  std::vector<double> start_;
  double learning_rate_;
  double radius_;
  std::vector<double> iterate_;
};

}  // namespace equinoise
