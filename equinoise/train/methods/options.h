// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/tailoring/budget_split.h"

namespace equinoise {

// The options of single methods: `config.own.of<FermiOptions>()`. Every field is public. Ranges and
// help are declared in the source of the method.

/// Options of dp_fermi: the penalty and the ascent of W.
struct FermiOptions {
  double penalty = 1;                   ///< lambda
  double ascent_rate = 0.1;             ///< of W
  std::optional<double> ascent_radius;  ///< of the ball that holds W [usual_ascent_radius]
  std::optional<double> ascent_clip;    ///< of a record's gradient at W [usual_ascent_clip]
  /// Ratio of its noise to that of gradients, per clip.
  double ascent_noise_ratio = kSideNoiseRatio;
};

/// Options of dp_lagrangian, in addition to those of raco_dp.
struct DualStepOptions {
  /// The number of steps per dual step. With one dual step per pass over the records, as published,
  /// multipliers lag, and they and the model oscillate.
  int64_t dual_interval = 10;
};

struct PostprocessOptions {
  /// The histogram's share of the precision of all releases [by public sizes].
  std::optional<double> score_share;
};

struct DpSgdFOptions {
  ThresholdRule thresholds = ThresholdRule::kPaper;
  std::optional<double> max_threshold;  ///< [4 max_grad_norm]
};

/// The largest finite threshold, equivalent to no limit.
inline constexpr double kNoThreshold = 1e150;

struct GlobalAdaptOptions {
  double strict_bound_learning_rate = 0.1;
  double threshold = 1;  ///< for long gradients, in strict bounds
};

struct FairLensOptions {
  double clipping_penalty = 1;
  double boundary_penalty = 1;
};

/// Options of dpgam and gam.
struct GamOptions {
  std::optional<double> rounds;               ///< [50, for more than two classes 100]
  double histogram_share = 0.2;               ///< of the budget, as precision
  std::vector<std::string> pairs = {"auto"};  ///< or "none", or columns as "age*sex"
};

/// Options of group_weighted: weights and costs of groups, by their names in PublicGroups.
struct GroupCostOptions {
  std::map<std::string, double> weights;   ///< factor on a record's loss [1]
  std::map<std::string, double> clips;     ///< instead of max_grad_norm
  std::map<std::string, double> epsilons;  ///< the largest cost of the run for members of a group
};

struct BalancedOptions {
  std::optional<double> group_balance;  ///< for the weights size^-group_balance [1]
};

struct MinimaxOptions {
  double tolerance = 1e-4;
  int64_t iterations = 500;
};

/// The groups whose losses a regression minimises.
enum class GroupAim {
  kPopulation,  ///< those of all records alike
  kMean,        ///< those of all groups alike
  kWorst,       ///< the largest mean loss of any group
  kBounded,     ///< those of all records, with none of a group above a limit if possible
};
inline constexpr EnumWords<GroupAim, 4> kGroupAims = {{{GroupAim::kPopulation, "population"},
                                                       {GroupAim::kMean, "mean"},
                                                       {GroupAim::kWorst, "worst"},
                                                       {GroupAim::kBounded, "bounded"}}};

/// Options of sufficient_statistics and group_statistics; row_bound of noisy_newton, too.
struct MomentOptions {
  std::optional<double> row_bound;       ///< [usual_row_bound]
  double target_bound = 3;               ///< see MomentBounds, on the scale of the encoded target
  GroupAim aim = GroupAim::kPopulation;  ///< for group_statistics, as the next one
  std::optional<double> loss_limit;      ///< required by GroupAim::kBounded
};

/// Options of noisy_newton.
struct NewtonOptions {
  int64_t newton_steps = 0;  ///< 0: more steps with less noise
};

/// The rules by which two_stage turns the losses of its first stage into weights.
inline constexpr EnumWords<SplitRule, 3> kWeightRules = {{
    {SplitRule::kError, "error"},
    {SplitRule::kErrorOverSize, "error_over_size"},
    {SplitRule::kRootError, "root_error"},
}};

struct TwoStageOptions {
  double first_stage = 0.2;  ///< of the steps
  SplitRule weights_by = SplitRule::kError;
};

}  // namespace equinoise
