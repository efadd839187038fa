// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// A list of events taken apart: what it costs if nothing fails, and how probable a failure is.
struct SplitEvents {
  /// Without sampler errors and empty lists; approximate DP as the pure DP of the rest.
  std::vector<Event> ideal;
  double sampler_error = 0;  ///< at least the sum of the sampler errors, in total variation
  double delta = 0;          ///< at least the sum of the deltas of the approximate-DP events
};

/// Takes failures out of `events`. Of the groups of a kParallel the most probable failure counts,
/// of several rows of a unit in groups as many as unit_bounds() says.
///
/// An (epsilon, delta)-DP mechanism behaves, for each pair of neighbours, like an epsilon-DP one
/// except with probability delta [KairouzOhViswanath2015]. Errors: kUsage, naming the event, for a
/// failure inside a batch or a selection.
SplitEvents split_failures(const std::vector<Event>& events);

}  // namespace equinoise
