// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/loop.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Whether nobody knows what the target of a linear regression is about: it has bounds, and no
/// public mean. The middle is then the only guess, and may be many standard deviations of the
/// target away.
bool needs_mean(const TrainingFacts& facts);

/// The noise multiplier of the mean of such a target, which is released before all else, by that of
/// one Gaussian on full data that tells as much as all that is released later: noise of
/// kPartOfSpread of the spread that the bounds suggest, which takes next to nothing of a large
/// budget, but no more than kMostOfBudget of the precision of all that is released.
double noise_of_mean(const TrainingFacts& facts, double later_noise_multiplier);

/// The release of that mean beside Poisson batches; empty where no mean is needed. Steps that are
/// slow because of noise do not get back from a wrong guess: the model is then worse than one
/// number for everybody.
FullRelease starting_mean_release(const TrainingConfig& config, const TrainingFacts& facts);

/// That mean, on the scale of the encoded target, with the plan's full_noise_multiplier.
///
/// Relation: zero_out. Sensitivity: TrainingFacts::target.reach in L2, a target being brought to
/// within that of the middle; divided by the public number of records, as if null records had the
/// middle. Of a table of units the mean over these of the means of their rows, each of which is
/// within the same reach. Cost: an item of the plan, one Gaussian on full data. Errors:
/// kRuntime for a charge that does not fit.
double release_mean(TrainingRun& training);

/// Starts a run whose plan has such a mean there, unless steps are done.
void start_at_mean(TrainingRun& training);

}  // namespace equinoise
