// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/privacy/event.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/tailoring/budget_split.h"

namespace equinoise {

/// The rule by which a first model chooses the weights of groups for a second one.
struct StageOneChoice {
  double epsilon = 1;  ///< of the first stage, if it were paid for
  SplitRule rule = SplitRule::kError;
};

/// The chosen weights, and the events of the first stage that compose with the second.
struct StageOneWeights {
  std::map<std::string, double> weights;  ///< by group, mean 1 over records
  std::vector<Event> events;
};

/// Trains a logistic model by dpsgd with the batches and steps of `second`, and computes the
/// groups' noisy Brier sums, to which each record adds at most 1. The squares of the weights are
/// shares of split_budget, because a group's cost grows with the square of its weight. Two classes.
/// [AlabiWiggins2024, App. B]
///
/// NOT PRIVATE: batches and noise follow from the seed, group sizes are those of the records.
StageOneWeights choose_weights(const StageOneChoice& choice, const TrainingConfig& second,
                               const PublicGroups& groups, const EncodedTable& train, uint64_t seed,
                               const std::function<void()>& after_step);

}  // namespace equinoise
