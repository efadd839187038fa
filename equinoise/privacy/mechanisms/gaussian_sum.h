// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The Gaussian mechanism for a vector on an integer grid: adds to each entry round(stddev * Z),
/// with stddev = the permit's noise multiplier * sensitivity, rounded up.
///
/// Relation: that of `sensitivity`, which must be the permit's. Sensitivity: L2, in grid units, of
/// the integer vector as handed over (rounding and summation errors included; the caller proves
/// it). Cost: the permit's event, gaussian(noise_multiplier). Guarantee: post-processing of the
/// real Gaussian mechanism, up to kGaussianDrawError per entry, which the charge must hold as a
/// sampler_error event. Edge cases: an all-zero vector gets noise as any other. The grid must be
/// public and independent of the data. Source: [DworkRoth2014, App. A]; rounding:
/// docs/theory/noise.md. Errors: kRuntime if the permit is not for this or its charge holds too
/// little for samplers; kUsage for an L1 sensitivity or a stddev beyond kMaxGaussianStddev.
void add_gaussian_noise(Permit permit, const Sensitivity& sensitivity, std::span<int64_t> units,
                        RandomSource& source);

/// The Gaussian mechanism for a vector to which records of groups in parallel contribute, each
/// group up to its own bound: one draw of noise, for which every group has paid. `permits` are of
/// these groups, one each, `sensitivities` of records of the same group; the stddev is the largest
/// of the products.
///
/// Relation: that of the sensitivities, where the neighbouring change is within one group. Cost: to
/// the members of each group their own permit's event, gaussian(noise_multiplier), since the noise
/// is at least that multiplier times the change by one of them. Errors: also kUsage if there is no
/// permit or not one for each sensitivity.
void add_shared_gaussian_noise(std::vector<Permit> permits,
                               std::span<const Sensitivity> sensitivities, std::span<int64_t> units,
                               RandomSource& source);

}  // namespace equinoise
