#pragma once

#include <vector>

#include "equinoise/synth/graph/belief_propagation.h"

namespace equinoise {

/// Probabilities of the cells of a table over any set, exact: summed out of a clique that holds it,
/// else put together from the cliques of the smallest part of the tree that does. There each clique
/// is conditioned on what it shares with the next one, and what is no longer needed is summed out
/// as early as possible. `beliefs` must be calibrated. Errors: kUsage if a table gets too large.
std::vector<double> query_probabilities(const Domain& domain, const BeliefPropagation& beliefs,
                                        const AttributeSet& set);

}  // namespace equinoise
