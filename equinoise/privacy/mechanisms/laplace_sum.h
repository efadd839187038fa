// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/rounded_laplace.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The Laplace mechanism for a vector on an integer grid, such as the counts of a Poisson batch:
/// adds to each entry round(scale * L), L standard Laplace, with scale = the permit's noise
/// multiplier * sensitivity, rounded up.
///
/// Relation: that of `sensitivity`, which must be the permit's. Sensitivity: L1, in grid units, of
/// the integer vector as handed over (rounding and summation errors included; the caller proves
/// it). Cost: the permit's event, laplace(noise_multiplier). Guarantee: exactly a post-processing
/// of the real Laplace mechanism, without a sampler error. Edge cases: a sum beyond 64 bits is
/// released as the nearest 64-bit integer, which is post-processing as well. The time depends on
/// the noise. The grid must be public and independent of the data. Source: [DworkRoth2014, 3.3];
/// rounding: docs/theory/noise.md. Errors: kRuntime if the permit is not for it; kUsage for another
/// norm or a scale outside [kMinRoundedLaplaceScale, kMaxRoundedLaplaceScale].
inline void add_laplace_noise(Permit permit, const Sensitivity& sensitivity,
                              std::span<int64_t> units, RandomSource& source) {
  permit.require(Event::Kind::kLaplace, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL1) {
    throw Error(ErrorKind::kUsage, "privacy.laplace_sum",
                "the Laplace mechanism needs an L1 sensitivity");
  }
  const double scale = multiply_up(permit.event().noise_multiplier(), sensitivity.value());
  add_rounded_laplace(scale, units, source);
}

}  // namespace equinoise
