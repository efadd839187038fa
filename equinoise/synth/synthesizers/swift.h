// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "equinoise/synth/synth_options.h"

namespace equinoise {

/// Options of swift alone.
struct SwiftOptions {
  int stages = 3;  ///< how often marginals are scored and measured
};

/// For wide and long tables: all one-way marginals, then in a few stages noisy scores of all
/// marginals below the workload that a model has room for, and the noisy counts of all those that
/// are worth their noise (marginal_choice.h). One fit follows each stage, where AIM fits after each
/// marginal. [GoogleDpsynth2026]
///
/// Relation: zero_out or add_remove. Sensitivity: of each marginal 1 (marginal_counts.h); of each
/// score, the distance between a marginal and what a released model expects, one record
/// (MarginalScores::distance). Cost: rho, reserved as one zCDP event, from which each score and
/// each marginal draws with a discrete Gaussian of its own (Charge::take_within, which has the
/// argument): a tenth for one-way marginals, of the rest `measurement_share` for marginals, the
/// other part for scores, the k scores of a stage k-ths of its part. Later stages have twice the
/// budget of those before, and what a stage finds no use for; what the last one has left measures
/// everything measured so far again. Which marginals are scored, which are measured and with what
/// noise follows from releases and public facts.
///
/// Deviation from what is published: several stages instead of one, so that what follows from
/// marginals that are known is not measured again; the room that a model may take grows with them.
class Swift final : public Synthesizer {
 public:
  const SynthOptions& options() const override;

  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override;
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override;
  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, SynthObserver& observer) const override;
};

}  // namespace equinoise
