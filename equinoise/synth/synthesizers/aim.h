// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/synth/synth_options.h"

namespace equinoise {

/// Options of aim only.
struct AimOptions {
  double rounds_per_attribute = 16;  ///< of the first rounds' size; fewer follow where noise halves
};

/// AIM: measures, round by round, the marginal below the workload that the model misses most, until
/// the budget is spent. [McKennaMullinsSheldonMiklau2022, Alg. 1-4]
///
/// Relation: zero_out or add_remove. Sensitivity: 1 of each marginal (marginal_counts.h), of the
/// scores the largest weight of a candidate (marginal_scores.h). Cost: rho, reserved as one zCDP
/// event; rounds draw from it according to their own choices, and the charge refuses a draw that
/// would exceed it (Charge::take_within, which has the argument). The last round takes the rest, so
/// that all of rho is spent, to a relative 1e-9.
///
/// The set of candidates, the scales of noise and the number of rounds follow from releases and
/// public facts. Deviation: candidates are also left out if noise alone would make them so much
/// worse than others that they would be chosen with probability below 1e-17 each, given the
/// released total. This public rule saves most of the work of a round. Deviation: every column is
/// measured at first, whether or not the workload names it. Deviation: models are fitted to a bound
/// on the remaining gain instead of for 1000 iterations.
class Aim final : public Synthesizer {
 public:
  const SynthOptions& options() const override;
  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override;
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override;
  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, SynthObserver& observer) const override;
};

/// The scales of noise of a round of AIM.
struct AimRound {
  double noise_stddev;
  double epsilon;
  bool is_last;
};

/// The first rounds: a budget of rho over `num_rounds`, with the share `share` for measurements.
AimRound first_aim_round(double rho, double num_rounds, double share);

/// The next round: the same, or, if less than two of it are left, the last one, which takes all of
/// `rho_left`.
AimRound next_aim_round(const AimRound& round, double rho_left, double share);

/// Returns whether to halve the noise and double the epsilon: a measurement changed the model's
/// marginal by no more than its noise does.
bool should_halve_noise(std::span<const double> before, std::span<const double> after,
                        double noise_stddev);

}  // namespace equinoise
