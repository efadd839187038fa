// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/train/regression/moments.h"
#include "equinoise/train/regression/shrunk_regression.h"

namespace equinoise {

/// Whose losses a regression makes small.
enum class GroupAim {
  kPopulation,  ///< those of all records alike
  kMean,        ///< those of all groups alike
  kWorst,       ///< the largest mean loss of any group
  kBounded,     ///< those of all records, with none of a group above a limit if that can be
};
inline constexpr EnumWords<GroupAim, 4> kGroupAims = {{{GroupAim::kPopulation, "population"},
                                                       {GroupAim::kMean, "mean"},
                                                       {GroupAim::kWorst, "worst"},
                                                       {GroupAim::kBounded, "bounded"}}};

struct GroupFitConfig {
  GroupAim aim = GroupAim::kPopulation;
  double loss_limit = 0;   ///< of kBounded: half the mean squared residual, on the target's scale
  double num_records = 1;  ///< public, see shrunk_regression
  double bound = 1;        ///< on targets
};

/// A mean loss as noisy moments tell it.
struct NoisyLoss {
  double value = 0;   ///< half the mean squared residual; NaN where noise hides the group's size
  double stddev = 0;  ///< of the noise of the moments, the regression being what it is
};

/// One regression for all groups.
struct GroupFit {
  ShrunkRegression regression;
  std::vector<double> weights = {};    ///< (groups) what a record of each counts, 1 in the mean
  std::vector<NoisyLoss> losses = {};  ///< (groups)
};

/// A regression whose groups weigh what the aim asks for; post-processing of their moments.
///
/// The worst group and the bounded losses are sought by multipliers, each answered by the best
/// regression for its weights; their mean over the later rounds is what is used. A group's loss
/// counts as different from the mean of all only as far as noise does not explain it, so that a
/// group of which noise hides all weighs as any other. `parts`: (groups) with slopes, of
/// independent noise.
GroupFit fit_groups(std::span<const Moments> parts, const GroupFitConfig& config);

}  // namespace equinoise
