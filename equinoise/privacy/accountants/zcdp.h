// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/composition.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// Accounts for a sequence of events by zero-concentrated DP and, in parallel, by pure DP.
///
/// Gaussian noise costs 1 / (2 noise_multiplier^2) [CanonneKamathSteinke2020, Prop. 5], an
/// epsilon-DP mechanism epsilon^2 / 2 [BunSteinke2016, Prop. 3.3], one of bounded range
/// epsilon^2 / 8 [CesarRogers2021]. Refused: sampled events, approximate DP, private selection.
class ZcdpAccountant : public Accountant {
 public:
  explicit ZcdpAccountant(Relation relation);

  /// Adds `count` runs of `event`. Errors: kUsage, naming the event, for one that zCDP cannot bound
  /// under the relation; then nothing has changed.
  void compose(const Event& event, int64_t count = 1);

  /// The smaller one of the tight conversion's epsilon and the pure epsilon.
  Epsilon epsilon(Delta delta) const override;
  double delta(Epsilon epsilon) const override;

  const PrivacyCost& cost() const { return total_; }    ///< its only divergence is rho
  double rho() const { return total_.divergences[0]; }  ///< infinite beyond double precision

 private:
  Composition composition_;
  PrivacyCost total_;  ///< of composition_; its only divergence is rho
};

/// The smallest epsilon that the tight conversion gives for `rho` at `delta` > 0, rounded up.
/// [CanonneKamathSteinke2020, Prop. 12]
Epsilon zcdp_epsilon(Rho rho, Delta delta);

/// The smallest delta that the same conversion gives for `rho` at `epsilon`, rounded up; at most 1.
double zcdp_delta(Rho rho, Epsilon epsilon);

/// The largest rho with an epsilon of at most `epsilon` at `delta`, rounded down.
Rho zcdp_rho_for(Epsilon epsilon, Delta delta);

}  // namespace equinoise
