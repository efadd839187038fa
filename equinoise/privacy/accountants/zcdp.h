#pragma once

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The rho of an event under zero-concentrated DP: Gaussian 1 / (2 noise_multiplier^2), composition
/// adds. Errors: kUsage for an event that has no useful rho (Poisson-sampled, sampler error).
/// [CanonneKamathSteinke2020, Prop. 5]
Rho zcdp_rho(const Event& event);

/// The smallest epsilon that the tight conversion gives for `rho` at `delta` > 0, rounded up.
/// [CanonneKamathSteinke2020, Prop. 12]
Epsilon zcdp_epsilon(Rho rho, Delta delta);

/// The smallest delta that the same conversion gives for `rho` at `epsilon`, rounded up. Errors:
/// kUsage if that is no delta below 1.
Delta zcdp_delta(Rho rho, Epsilon epsilon);

/// The largest rho whose epsilon at `delta` is at most `epsilon`, rounded down.
Rho zcdp_rho_for(Epsilon epsilon, Delta delta);

}  // namespace equinoise
