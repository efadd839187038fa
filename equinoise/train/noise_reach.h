// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/train/plan.h"

namespace equinoise {

/// What noise alone may do to the parameters of a run. From public facts; publishable.
struct NoiseReach {
  /// The standard deviation of noise on each entry of the released parameters where losses do not
  /// curve, so that nothing takes noise back. Curvature of convex losses can but lower it, and is
  /// not public.
  double parameter_stddev = 0;
  /// The same if every record counted alike for one model of all, as in dpsgd; 0: no such figure.
  double alike_stddev = 0;
  std::string cause = {};  ///< the cause of that noise; empty: the same for all records
};

/// The standard deviation of noise on scores for a record: parameter_stddev times
/// TrainingFacts::row_norm. A score is what a sigmoid makes a probability of, or a target in units
/// of TargetScale::spread.
double score_stddev(const NoiseReach& reach, const TrainingPlan& plan);

/// The same of alike_stddev.
double alike_score_stddev(const NoiseReach& reach, const TrainingPlan& plan);

/// The most that it may be: a score of 3 is a probability of 0.95, so that noise beyond it may turn
/// sure answers round.
inline constexpr double kMaxScoreNoise = 3;

/// Half of that is enough for a warning where it is over this many times the noise of records
/// alike: then dpsgd would have next to none of it.
inline constexpr double kMuchMoreNoise = 10;

/// What noise with a standard deviation of 1 on each entry of each step's direction becomes in the
/// mean of the iterates that are released, where losses do not curve. Empty for adam, whose steps
/// do not grow with what they follow.
std::optional<double> reach_of_steps(const TrainingConfig& config);

/// Noise on each entry of what a step follows.
struct DirectionNoise {
  double stddev = 0;
  double alike_stddev = 0;  ///< as in NoiseReach
};

/// The reach of steps in directions with that noise. Empty as reach_of_steps.
std::optional<NoiseReach> reach_of_noise(const TrainingConfig& config, const DirectionNoise& noise,
                                         std::string cause = {});

/// The standard deviation of noise on scores that a learning rate is lowered to where nobody chose
/// it.
inline constexpr double kQuietScoreNoise = 1;

/// By how much to multiply the learning rates of a plan so that its noise moves scores by no more
/// than kQuietScoreNoise: noise of steps adds up in proportion to their rates. 1 where it moves
/// them less, or nothing is known; never below kSlowest, where a model would hardly learn.
///
/// Of linear regression it is lower where a lower rate has less expected error, of what is not
/// learnt yet and of noise. Both follow from the curvature of the loss, of which the mean over
/// directions is public (row_norm); how targets lie in them is a guess that was chosen on tables
/// (kDirections). Never below kSlowestOfNumbers.
inline constexpr double kSlowest = 0.01;
inline constexpr double kSlowestOfNumbers = 0.001;
double quiet_factor(const std::optional<NoiseReach>& reach, const TrainingPlan& plan);

/// The clip where nobody chose one: as much of the root mean squared norm of (features, 1), in
/// units of the spread of the target, as lets the noise of dpsgd be quiet at the plan's rates, but
/// at least half of it. A record that is predicted with an error of that part then has a gradient
/// that is clipped; a lower clip would shorten most gradients, those of rare people most of all,
/// and noise that is too much for it is for the learning rate to lower. The plan's own where the
/// norm or the noise is not known.
double quiet_clip(const std::optional<NoiseReach>& reach, const TrainingPlan& plan);

/// quiet_factor of dpsgd with the plan's choices.
double alike_factor(const std::optional<NoiseReach>& reach, const TrainingPlan& plan);

/// Models that learn more than this many times slower than dpsgd would may be short of what they
/// would learn without noise: with five methods on seven tables of bench/zoo their worst group was
/// more than a tenth worse off than with dpsgd in half of the runs, of others in one of fourteen.
inline constexpr double kMaxSlowing = 15;

/// A caution: with rates this many times below the usual ones little may be learnt, whatever the
/// method. Under constraints kMaxSlowing is enough: of the runs of bench/zoo between the two at
/// epsilon 1 and above, 20 of 31 missed their constraint or were more than 3 points of accuracy
/// below the same without privacy.
inline constexpr double kHardlyLearning = 25;

/// A method that can give up something else (TrainingMethod::quieter, pools_small_groups) does so
/// before its learning rate falls below this part of that of dpsgd.
inline constexpr double kMinOfRate = 0.25;

/// The same of linear regression, where what a slow model has not learnt yet is error in full: on a
/// table whose features tell the target well, largest losses were twice those of dpsgd with 0.25.
inline constexpr double kMinOfRateOfNumbers = 0.75;

/// Which of the two it is for the model of a plan.
double min_of_rate(const TrainingPlan& plan);

/// Twice kMaxScoreNoise. Where dpsgd would have next to none of it, the tool does not choose to
/// train so: with a group of 3 in 2,000 largest losses were 2 to 20 times those of dpsgd.
inline constexpr double kRuinousScoreNoise = 2 * kMaxScoreNoise;

/// What to say before a run is paid for whose noise may decide what its model says: the figure,
/// whose noise it is and what would change it. Empty where it may not, or where nothing is known,
/// as of networks. A bound, so that it warns and proves nothing: with enough curvature the model
/// may be fine.
std::optional<std::string> noise_warning(const std::optional<NoiseReach>& reach,
                                         const TrainingPlan& plan);

}  // namespace equinoise
