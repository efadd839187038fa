// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/loop.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// The noise multiplier of the mean of the target from which a linear regression starts; empty
/// where the schema says what it is about, and of other models.
///
/// From bounds alone the middle is the only guess. It may be many standard deviations of the target
/// away, and steps that are slow because of noise do not get back from there: the model is then
/// worse than one number for everybody. The mean is asked for with the noise of kPartOfSpread of
/// the spread that the bounds suggest, which takes next to nothing of a large budget, but with no
/// more than kMostOfBudget of the precision of all that is released.
StartNoise noise_of_starting_mean(const TrainingConfig& config, const TrainingFacts& facts);

/// Releases that mean with the plan's start_noise_multiplier, and makes it the prediction for
/// everybody before the first step.
///
/// Relation: zero_out. Sensitivity: TrainingFacts::target.reach in L2, a target being brought to
/// within that of the middle; divided by the public number of records, as if null records had the
/// middle. Cost: the last item of the plan, one Gaussian on full data. Errors: kRuntime for a
/// charge that does not fit.
void start_at_noisy_mean(TrainingRun& training);

}  // namespace equinoise
