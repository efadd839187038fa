// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// A list of events split into its cost if nothing fails, and the probability of a failure.
struct SplitEvents {
  /// The events without sampler errors and empty lists; approximate DP is replaced by its pure DP.
  std::vector<Event> ideal;
  double sampler_error = 0;  ///< at least the sum of the sampler errors, in total variation
  double delta = 0;          ///< at least the sum of the deltas of the approximate-DP events
};

/// Splits failures off `events`. The most probable failure of the groups of a kParallel counts; for
/// several rows of a unit in groups, as many failures as unit_bounds() states.
///
/// An (epsilon, delta)-DP mechanism behaves, for each pair of neighbours, like an epsilon-DP one
/// except with probability delta [KairouzOhViswanath2015]. Errors: kUsage, naming the event, for a
/// failure inside a batch or a selection.
SplitEvents split_failures(const std::vector<Event>& events);

}  // namespace equinoise
