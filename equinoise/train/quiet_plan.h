// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/data/schema/schema.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/train/method.h"

namespace equinoise {

/// A plan, and the messages about its noise before it is paid for.
struct SettledPlan {
  TrainingPlan plan;
  std::optional<std::string> warning = {};
  /// The groups of the plan, if other than requested: without empty ones, or with small ones
  /// pooled.
  std::optional<Grouping> pooled = {};
  /// The part of the requested or default learning rates that noise allows, applied or not. Empty
  /// if the reach of noise is unknown, as with adam.
  std::optional<double> part_of_rate = {};
  /// The reason to refuse the plan: even at the lowest rates noise is above kRuinousScoreNoise, and
  /// far above that of dpsgd.
  std::optional<std::string> refusal = {};
};

/// The largest learning rate for a linear regression without clips. Its loss curves in no direction
/// by more than the mean squared norm of (features, 1), assumed to be as the schema's scales imply,
/// times the most rows of a unit; steps beyond two over the curvature diverge. Infinite for other
/// models, whose gradients are bounded, and for adam.
double stable_rate(const TrainingConfig& config, const TrainingFacts& facts);

/// The floor of the trained groups if those below `size` are pooled.
GroupFloor pooled_floor(const GroupFloor& asked, double size);

/// The options that the user left open, so that the plan chooses them.
struct OpenChoices {
  bool learning_rate = false;
  bool clip = false;
};

/// The method's plan, from public facts. `groups`, if any, are those of `facts` in `schema`, listed
/// with `floor`.
///
/// Chooses the clip, if open (quiet_clip). If the learning rates are open, chooses so that noise
/// does not decide the model, and lists these choices in the plan's notes. First come other
/// concessions of the method (TrainingMethod::quieter, WorstGroupOptions::pool_below): the smallest
/// at which rates are at least min_of_rate of those of dpsgd. Then the rates (quiet_factor).
///
/// Warns if noise may decide the model even so, or if the rates had to be lowered more than
/// kMaxSlowing or kHardlyLearning times. Refuses if noise at the lowest rates is still above
/// kRuinousScoreNoise and kMuchMoreNoise times that of dpsgd.
SettledPlan settle_plan(const TrainingMethod& method, const TrainingConfig& config,
                        const TrainingFacts& facts, const OpenChoices& open, const Grouping* groups,
                        const GroupFloor& floor, const Schema& schema);

}  // namespace equinoise
