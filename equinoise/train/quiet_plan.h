// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/train/method.h"

namespace equinoise {

/// A plan, and what to say of its noise before it is paid for.
struct SettledPlan {
  TrainingPlan plan;
  std::optional<std::string> warning = {};
  /// The groups of the plan, where they are others than asked for: without empty ones, or with
  /// small ones as one.
  std::optional<Grouping> pooled = {};
  /// Of the learning rates that were asked for, or the usual ones: what noise allows, taken or not.
  /// Empty where its reach is not known, as with adam.
  std::optional<double> part_of_rate = {};
  /// Why not to pay for it: with the lowest rates noise is above kRuinousScoreNoise even so, and
  /// far above that of dpsgd.
  std::optional<std::string> refusal = {};
};

/// The largest learning rate for a linear regression without clips: its loss curves in no direction
/// by more than the mean squared norm of (features, 1), which is taken to be as the schema's scales
/// make it, and steps beyond two over the curvature swing out. Infinite for other models, whose
/// gradients are bounded, and for adam.
double stable_rate(const TrainingConfig& config, const TrainingFacts& facts);

/// The floor of the groups that are trained where those below `size` are trained as one.
GroupFloor pooled_floor(const GroupFloor& asked, double size);

/// What nobody chose, so that the plan does.
struct OpenChoices {
  bool learning_rate = false;
  bool clip = false;
};

/// The method's plan, from public facts; `groups`, if there are any, are those of `facts` in
/// `schema`, listed with `floor`. If the learning rates are open, with choices at which noise does
/// not decide the model, and what was chosen in its notes (quiet_clip, where the clip is open):
/// what the method can give up instead (TrainingMethod::quieter, WorstGroupOptions::pool_below), as
/// little of it as lets rates be at least min_of_rate of those of dpsgd, then the rates
/// (quiet_factor). Warns where noise may decide the model even so, or where the rates had to be
/// lowered more than kMaxSlowing or kHardlyLearning times; refuses where even the
/// lowest rates leave it above kRuinousScoreNoise and kMuchMoreNoise times that of dpsgd.
SettledPlan settle_plan(const TrainingMethod& method, const TrainingConfig& config,
                        const TrainingFacts& facts, const OpenChoices& open, const Grouping* groups,
                        const GroupFloor& floor, const Schema& schema);

}  // namespace equinoise
