// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>

namespace equinoise {

/// What the user chooses of worst-group training (mgr_w, mgr, ags, phased_erm, oco_exp3). Every
/// field is public.
struct WorstGroupConfig {
  double loss_bound = 2;  ///< a record's loss counts as at most this for the weights of groups
  /// Of these weights [sqrt(8 ln(groups) / steps) / loss_bound].
  std::optional<double> group_learning_rate;
  double loss_share = 0.2;  ///< of the budget, for noisy losses or choices
  /// Records of the smallest group that a batch is expected to hold, instead of batch_size.
  std::optional<double> group_batch_size;
  double radius = std::numeric_limits<double>::infinity();  ///< of the ball that holds parameters
  std::string selection = "gumbel";                         ///< of ags, or "laplace"
  double phase_step = 0.003;                                ///< eta of phased_erm
  double feature_bound = 4;     ///< of |(x, 1)| in phased_erm; longer x are scaled down
  double exploration = 0.1;     ///< of oco_exp3: share of draws in which groups count alike
  std::string online = "tree";  ///< of oco_exp3, or "descent": noise for each gradient

  friend bool operator==(const WorstGroupConfig&, const WorstGroupConfig&) = default;
};

}  // namespace equinoise
