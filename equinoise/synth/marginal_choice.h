// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/synth/graph/domain.h"

namespace equinoise {

/// A marginal that could be measured, with facts from releases.
struct MarginalCandidate {
  AttributeSet attributes;
  double weight = 1;  ///< in the workload
  double missed = 0;  ///< L1 distance of a model in records; an estimate
};

/// Marginals to be measured together.
struct MarginalChoice {
  std::vector<size_t> chosen;  ///< indices of candidates, in the order of their choice
  std::vector<double> shares;  ///< of the budget, for each of them; their sum is 1, if any
  size_t num_too_large = 0;    ///< worth it, but the model would not have fitted
};

/// Chooses the marginals whose measurement brings a model nearest to the records, with a budget of
/// `rho` of zCDP for all. The model over them and `cliques` must have at most `max_megabytes`, or
/// no more than without them. Weights are relative to the largest one, and count as at least a
/// thousandth of it.
///
/// A marginal of n cells and weight w is worth w (missed - noise_l1(stddev, n)). By Lagrange's rule
/// the noise of a chosen set costs least if a marginal's share of the budget is proportional to
/// (w n)^(2/3). It is then sqrt(1 / pi rho) (sum of (w n)^(2/3))^(3/2) in all. Candidates are taken
/// greedily while that cost rises by less than they miss, in the order of w missed / (w n)^(1/3).
/// This order lies between two others. By missed alone, large marginals would leave no room for
/// many others. By missed relative to the noise, small ones would fill the room. Post-processing
/// of releases. Errors: kRuntime if interrupted.
MarginalChoice choose_marginals(const Domain& domain, std::vector<AttributeSet> cliques,
                                const std::vector<MarginalCandidate>& candidates, double rho,
                                double max_megabytes, const TaskProgress& progress = kUnwatched);

}  // namespace equinoise
