// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "equinoise/synth/synth_options.h"

namespace equinoise {

/// Options of swift only.
struct SwiftOptions {
  int stages = 3;  ///< how often marginals are scored and measured
};

/// For wide and long tables. All one-way marginals are measured first. Then, in a few stages, all
/// marginals below the workload that a model has room for are scored with noise, and those that are
/// worth their noise are measured (marginal_choice.h). One fit follows each stage, while AIM fits
/// after each marginal. [GoogleDpsynth2026]
///
/// Relation: zero_out or add_remove. Sensitivity: of each marginal 1 (marginal_counts.h); of each
/// score, the distance between a marginal and a released model's expected counts, one record
/// (MarginalScores::distance). Cost: rho, reserved as one zCDP event, from which each score and
/// each marginal draws with its own discrete Gaussian (Charge::take_within, which has the
/// argument). A tenth is for one-way marginals. `measurement_share` of the rest is for marginals
/// and the other part for scores; each of the k scores of a stage has a k-th of the stage's part.
/// Later stages have twice the budget of those before, and the unused budget of earlier ones; the
/// rest after the last one measures everything measured so far again. The scored and the measured
/// marginals and their noise follow from releases and public facts.
///
/// Deviation from the publication: several stages instead of one, so that counts that follow from
/// known marginals are not measured again; the room that a model may take grows with them.
class Swift final : public Synthesizer {
 public:
  const SynthOptions& options() const override;

  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override;
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override;
  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, SynthObserver& observer) const override;
};

}  // namespace equinoise
