// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/train/plan.h"

namespace equinoise {

/// The effect of noise alone on the parameters of a run. From public facts; publishable.
struct NoiseReach {
  /// The standard deviation of noise on each entry of the released parameters if losses have no
  /// curvature, so that no step undoes noise. Curvature of convex losses only lowers it, and is not
  /// public.
  double parameter_stddev = 0;
  /// The same with one model for all and equal weights for all records, as in dpsgd; 0: unknown.
  double alike_stddev = 0;
  std::string cause = {};  ///< the cause of that noise; empty: equal for all records
};

/// The setting of a run in its report and model with NoiseReach::parameter_stddev, if it is known
/// and losses are convex. Noise on the parameters of rare values comes close to it.
inline constexpr const char* kParameterNoise = "parameter_noise";

/// The standard deviation of noise on a record's score: parameter_stddev times
/// TrainingFacts::row_norm. A score is the input of a sigmoid, or a target in units of
/// TargetScale::spread.
double score_stddev(const NoiseReach& reach, const TrainingPlan& plan);

/// The same for alike_stddev.
double alike_score_stddev(const NoiseReach& reach, const TrainingPlan& plan);

/// The largest acceptable noise on scores. A score of 3 is a probability of 0.95, so larger noise
/// may flip even confident predictions.
inline constexpr double kMaxScoreNoise = 3;

/// Half of kMaxScoreNoise is enough for a warning if it is more than this many times the noise
/// with equal weights, so that dpsgd would have almost none of it.
inline constexpr double kMuchMoreNoise = 10;

/// The standard deviation of each entry of the released mean of iterates, if each entry of each
/// step's direction has noise of standard deviation 1 and losses have no curvature. Empty for adam,
/// whose steps do not grow with their directions.
std::optional<double> reach_of_steps(const TrainingConfig& config);

/// Noise on each entry of the direction of a step.
struct DirectionNoise {
  double stddev = 0;
  double alike_stddev = 0;  ///< as in NoiseReach
};

/// The reach of steps in directions with that noise. Empty for adam, as in reach_of_steps.
std::optional<NoiseReach> reach_of_noise(const TrainingConfig& config, const DirectionNoise& noise,
                                         std::string cause = {});

/// The standard deviation of noise on scores that a learning rate is lowered to, if the user chose
/// none.
inline constexpr double kQuietScoreNoise = 1;

/// The factor on the learning rates of a plan at which its noise moves scores by at most
/// kQuietScoreNoise; noise is proportional to the rates. 1 if scores move less, or if the reach is
/// unknown. Never below kSlowest, at which a model would hardly learn.
///
/// For linear regression the factor is lower if a lower rate has a smaller expected error, of
/// unlearnt signal and noise together. Both follow from the curvature of the loss, whose mean over
/// directions is public (row_norm). The distribution of targets over directions is a guess that was
/// chosen on tables (kDirections). Never below kSlowestOfNumbers.
inline constexpr double kSlowest = 0.01;
inline constexpr double kSlowestOfNumbers = 0.001;
double quiet_factor(const std::optional<NoiseReach>& reach, const TrainingPlan& plan);

/// The clip if the user chose none: the largest part of the root mean squared norm of (features,
/// 1), in units of the spread of the target, at which the noise of dpsgd is quiet at the plan's
/// rates; at least half of that norm. A record's gradient is clipped if its prediction error
/// exceeds this part. A lower clip would shorten most gradients, and those of rare people most;
/// noise beyond that is reduced by the learning rate instead. The plan's own clip if the norm or
/// the noise is unknown.
double quiet_clip(const std::optional<NoiseReach>& reach, const TrainingPlan& plan);

/// quiet_factor of dpsgd with the plan's choices.
double alike_factor(const std::optional<NoiseReach>& reach, const TrainingPlan& plan);

/// Models that learn more than this many times slower than with dpsgd may fall short of training
/// without noise. With five methods on seven tables of bench/zoo their worst group was more than a
/// tenth worse than with dpsgd in half of the runs; with faster models in one of fourteen.
inline constexpr double kMaxSlowing = 15;

/// A caution: with rates this many times below the usual ones little may be learnt, whatever the
/// method. Under constraints kMaxSlowing is enough. With rates between the two limits, at epsilon
/// 1 and above, 20 of 31 runs of bench/zoo missed their constraint or were more than 3 points of
/// accuracy below the same run without privacy.
inline constexpr double kHardlyLearning = 25;

/// The least learning rate as a part of that of dpsgd. A method that can give up something else
/// (TrainingMethod::quieter, pools_small_groups) does so before its rate falls below this.
inline constexpr double kMinOfRate = 0.25;

/// The same for linear regression, where everything a slow model has not learnt yet is error. On a
/// table whose features predict the target well, largest losses were twice those of dpsgd with
/// 0.25.
inline constexpr double kMinOfRateOfNumbers = 0.75;

/// kMinOfRate or kMinOfRateOfNumbers, by the model of the plan.
double min_of_rate(const TrainingPlan& plan);

/// Twice kMaxScoreNoise. If dpsgd would have almost none of this noise, the tool refuses the plan:
/// with a group of 3 in 2,000 largest losses were 2 to 20 times those of dpsgd.
inline constexpr double kRuinousScoreNoise = 2 * kMaxScoreNoise;

/// The warning, before a run is paid for, that noise may decide its model: the figure, the cause
/// and the remedy. Empty if noise is smaller or its reach is unknown, as for networks. The figure
/// is an upper bound: with enough curvature the model may be fine.
std::optional<std::string> noise_warning(const std::optional<NoiseReach>& reach,
                                         const TrainingPlan& plan);

}  // namespace equinoise
