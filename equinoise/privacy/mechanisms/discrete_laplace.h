// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The discrete Laplace mechanism for a vector of integers: adds to each entry independent noise
/// with Pr[y] ~ exp(-decay |y|), decay as charged and not scaled.
///
/// Relation: that of `sensitivity`, which must be the permit's. Sensitivity: L1, of the integer
/// vector as handed over, at most the charged one (the caller proves it). Cost: the permit's event,
/// discrete_laplace(decay, sensitivity), which is (decay * sensitivity)-DP. Guarantee: exact,
/// without a sampler error. Edge cases: a sum beyond 64 bits is released as the nearest 64-bit
/// integer, which is post-processing. For releases outside a Poisson batch; the time depends on the
/// noise. The grid must be public and independent of the data. Source:
/// [GhoshRoughgardenSundararajan2009; sampler CanonneKamathSteinke2020, Alg. 2]. Errors: kRuntime
/// if the permit is not for this; kUsage for another norm, a sensitivity beyond the charged one, or
/// a decay outside [kMinDiscreteLaplaceDecay, kMaxDiscreteLaplaceDecay]; never for an entry's
/// value.
void add_discrete_laplace_noise(Permit permit, const Sensitivity& sensitivity,
                                std::span<int64_t> units, RandomSource& source);

}  // namespace equinoise
