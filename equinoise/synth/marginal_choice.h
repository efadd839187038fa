// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "equinoise/synth/graph/domain.h"

namespace equinoise {

/// A marginal that could be measured and what is known of it from releases.
struct MarginalCandidate {
  AttributeSet attributes;
  double weight = 1;  ///< in the workload
  double missed = 0;  ///< by how many records a model is off, in L1 norm; an estimate
};

/// Marginals to be measured together.
struct MarginalChoice {
  std::vector<size_t> chosen;  ///< of the candidates, in the order of their choice
  std::vector<double> shares;  ///< of the budget, for each of them; their sum is 1, if any
  size_t num_too_large = 0;    ///< would have been worth it, but the model would not have fitted
};

/// Chooses, with a budget of `rho` of zCDP for all, the marginals whose measurement brings a model
/// nearest to the records, among those for which the model over them and `cliques` has at most
/// `max_megabytes`, or no more than without them.
///
/// Weights are relative to the largest one, and count as a thousandth of it at least. What a
/// marginal of n cells and weight w is worth is w (missed - noise_l1(stddev, n)). The noise
/// of a chosen set costs least, by Lagrange's rule, where a marginal's share of the budget is
/// proportional to (w n)^(2/3); then it is sqrt(1 / pi rho) (sum of (w n)^(2/3))^(3/2) in all.
/// Candidates are taken greedily where that cost rises by less than what they miss, in the order of
/// w missed / (w n)^(1/3): between what is missed most, which leaves no room for much else, and
/// what is missed most for its noise, which fills the room with what is small. `at_times`: what it
/// throws ends the choice. Post-processing of releases.
MarginalChoice choose_marginals(const Domain& domain, std::vector<AttributeSet> cliques,
                                const std::vector<MarginalCandidate>& candidates, double rho,
                                double max_megabytes, const std::function<void()>& at_times = {});

}  // namespace equinoise
