// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/train/methods/options.h"
#include "equinoise/train/regression/moments.h"
#include "equinoise/train/regression/shrunk_regression.h"

namespace equinoise {

struct GroupFitConfig {
  GroupAim aim = GroupAim::kPopulation;
  double loss_limit = 0;   ///< for kBounded: half the mean squared residual, on the target's scale
  double num_records = 1;  ///< public, see shrunk_regression
  double bound = 1;        ///< on targets
};

/// A mean loss from noisy moments.
struct NoisyLoss {
  double value = 0;   ///< half the mean squared residual; NaN if noise hides the group's size
  double stddev = 0;  ///< of the noise of the moments, for this regression
};

/// One regression for all groups.
struct GroupFit {
  ShrunkRegression regression;
  std::vector<double> weights = {};    ///< (groups) the weight of a record of each, 1 on average
  std::vector<NoisyLoss> losses = {};  ///< (groups)
};

/// A regression with the weights of groups that the aim needs; post-processing of their moments.
///
/// The worst group and the bounded losses are found by multipliers, each answered by the best
/// regression for its weights; their mean over the later rounds is used. A group's loss differs
/// from the mean of all only as far as noise does not explain it, so that a group that noise hides
/// weighs as any other. `parts`: (groups) with slopes, of independent noise.
GroupFit fit_groups(std::span<const Moments> parts, const GroupFitConfig& config);

}  // namespace equinoise
