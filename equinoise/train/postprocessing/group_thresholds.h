// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/train/postprocessing/score_histogram.h"

namespace equinoise {

/// The least ratio of a group's size to its noise; below it noise hides its rates. A rate of a half
/// is then known to 0.07.
inline constexpr double kEnoughToTell = 10;

/// The noise on a group's size in a histogram with noise of that standard deviation on each count.
double size_noise(double noise_stddev, size_t num_labels);

/// Thresholds of scores; a record with a score above that of its group is predicted positive.
struct GroupThresholds {
  std::vector<double> thresholds;  ///< (groups), finite
  std::vector<bool> is_common;  ///< (groups) the overall threshold, because noise hides its rates
  /// The amount by which the worst constraint is missed in the histogram; at most 0 if all are
  /// kept. Constraints with rates that noise hides are ignored.
  double excess = 0;
};

/// Returns whether the constraints distinguish labels.
bool tells_labels(const RateProgram& program);

/// The thresholds with the least expected error under which every constraint is at most its aim, of
/// (constraints), or those that miss their aims least. They follow from a histogram of the
/// contexts' log odds of the second class, with noise of `noise_stddev` on each count.
/// [HardtPriceSrebro2016]
///
/// Errors are the ones that scores imply, so that noise on labels has no influence, and a group
/// that no constraint affects has the threshold 0. With a multiplier for each constraint, the best
/// threshold of a group is a quotient of the costs of the two predictions in each class;
/// multipliers ascend along the missed amounts. A function of its arguments alone. Pre: two
/// classes.
GroupThresholds choose_thresholds(const RateProgram& program, const ScoreHistogram& scores,
                                  std::span<const double> aims, double noise_stddev);

}  // namespace equinoise
