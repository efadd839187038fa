// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/train/postprocessing/score_histogram.h"

namespace equinoise {

/// A group's size must be this many times the noise on it, else noise hides its rates: a rate of a
/// half is then known to 0.07.
inline constexpr double kEnoughToTell = 10;

/// The noise on a group's size in a histogram with noise of that standard deviation on each count.
double size_noise(double noise_stddev, size_t num_labels);

/// Thresholds of scores; a record with a score above that of its group is predicted positive.
struct GroupThresholds {
  std::vector<double> thresholds;  ///< (groups), finite
  std::vector<bool> is_common;     ///< (groups) noise hides its rates, so it has that of all
  /// By how much the constraint that is kept worst is missed in the histogram; at most 0 if all are
  /// kept. Of constraints whose rates noise hides nothing is known.
  double excess = 0;
};

/// Whether the constraints tell labels apart.
bool tells_labels(const RateProgram& program);

/// The thresholds with the least expected error under which every constraint is at most its aim, of
/// (constraints), in a histogram of the contexts' log odds of the second class, with noise of
/// `noise_stddev` on each count; or those that miss them least. [HardtPriceSrebro2016]
///
/// Errors are those that scores expect of themselves, so that noise on labels cannot choose, and a
/// group that no constraint moves has the threshold 0. With a multiplier for each constraint the
/// best threshold of a group is a quotient of what the two predictions cost in each class;
/// multipliers ascend along what is missed. A function of its arguments alone. Pre: two classes.
GroupThresholds choose_thresholds(const RateProgram& program, const ScoreHistogram& scores,
                                  std::span<const double> aims, double noise_stddev);

}  // namespace equinoise
