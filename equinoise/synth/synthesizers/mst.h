// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/synth_options.h"

namespace equinoise {

/// MST: measures all one-way marginals, then a tree of the pairs that depend on each other most.
/// [McKennaMiklauSheldon2021, Alg. 1 and section 4]
///
/// Relation: zero_out or add_remove. Sensitivity: 1 of each marginal (marginal_counts.h) and of
/// each score (marginal_scores.h). Cost: with d attributes d discrete Gaussian vectors, d - 1
/// choices by the exponential mechanism and d - 1 discrete Gaussian vectors, a third of rho each;
/// all of rho for the one-way marginals if d = 1. No step adapts to a workload.
///
/// Values with a noisy count below three standard deviations are pooled and drawn uniformly in the
/// end. Deviation: bins of numbers and attributes of declared impossible combinations are never
/// pooled, since that would spread the tails of numbers over the whole range. Deviation: the models
/// are fitted to a bound on the remaining gain instead of for 1000 and 5000 iterations. Deviation:
/// pairs beyond max_model_megabytes are no candidates; the rest of their budget is lost.
class Mst final : public Synthesizer {
 public:
  const SynthOptions& options() const override;
  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override;
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override;
  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, SynthObserver& observer) const override;
};

/// The pairs of attributes, lexicographically, and their scores for the tree's choices: the
/// distance of the pair's counts from the product of one-way models, in units of MarginalScores(1).
/// `at_times` is called now and then by any thread; an exception from it ends the scoring.
struct PairScores {
  std::vector<AttributeSet> pairs;
  std::vector<int64_t> scores;
  size_t num_too_large = 0;  ///< pairs with more than `max_cells`, which are not counted
};
PairScores score_pairs(const MarginalSource& records, const GraphicalModel& one_ways,
                       double max_cells, int threads, const std::function<void()>& at_times = {});

}  // namespace equinoise
