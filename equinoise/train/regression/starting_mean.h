// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/loop.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Returns whether the mean of the target of a linear regression is unknown: it has bounds, and no
/// public mean. The middle is then the only guess, and may be many standard deviations away from
/// the target.
bool needs_mean(const TrainingFacts& facts);

/// The noise multiplier of the mean of such a target, which is released first.
/// `later_noise_multiplier` is that of one Gaussian on full data with the precision of all later
/// releases. The noise is kPartOfSpread of the spread that the bounds suggest, a negligible part of
/// a large budget, but it takes at most kMaxOfBudget of the precision of the whole release.
double noise_of_mean(const TrainingFacts& facts, double later_noise_multiplier);

/// The release of that mean next to Poisson batches; empty if no mean is needed. Steps that are
/// slow because of noise do not recover from a wrong guess: the model is then worse than a single
/// number for all records.
FullRelease starting_mean_release(const TrainingConfig& config, const TrainingFacts& facts);

/// plan_noisy_gradients with the means that dpsgd releases for a regression: that from which it
/// starts, and that of the residuals (residual_release).
TrainingPlan plan_with_means(std::string_view method, const TrainingConfig& config,
                             const TrainingFacts& facts, const SideRelease& beside = {},
                             const FullRelease& between = {});

/// Releases that mean, on the scale of the encoded target, with the plan's full_noise_multiplier.
///
/// Relation: zero_out. Sensitivity: TrainingFacts::target.reach in L2, where a target is clipped to
/// that distance from the middle; divided by the public number of records, as if null records had
/// the middle. In a table of units it is the mean over units of the means of their rows, each of
/// which is within the same reach. Cost: an item of the plan, one Gaussian on full data. Errors:
/// kRuntime for a charge that does not fit.
double release_mean(TrainingRun& training);

/// Starts a run at this mean if its plan has one, unless steps are done.
void start_at_mean(TrainingRun& training);

}  // namespace equinoise
