// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/discrete_gaussian_scan.h"
#include "equinoise/privacy/random/discrete_gaussian_table.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The discrete Gaussian mechanism for a vector of integers: adds to each entry independent noise
/// with Pr[y] ~ exp(-y^2 / (2 noise_stddev^2)), noise_stddev as charged and not scaled.
///
/// Relation: that of `sensitivity`, which must be the permit's. Sensitivity: L1, of the integer
/// vector as handed over, at most the charged one (the caller proves it). Cost: the permit's event,
/// discrete_gaussian(noise_stddev, sensitivity). Guarantee: exact, without a sampler error. Edge
/// cases: a sum beyond 64 bits is released as the nearest 64-bit integer, which is post-processing.
/// For releases outside a Poisson batch; the time depends on the noise. The grid must be public and
/// independent of the data. Source: [CanonneKamathSteinke2020]. Errors: kRuntime if the permit is
/// not for this; kUsage for another norm, a sensitivity beyond the charged one, or a noise_stddev
/// outside [kMinDiscreteGaussianStddev, kMaxDiscreteGaussianStddev]; never for an entry's value.
void add_discrete_gaussian_noise(Permit permit, const Sensitivity& sensitivity,
                                 std::span<int64_t> units, RandomSource& source);

/// The discrete Gaussian mechanism for a vector to which records of groups in parallel contribute:
/// one draw of noise, for which every group has paid. `permits` are of these groups, one each, for
/// the same event; `sensitivity` is that of records of any of them. Relation: the neighbouring
/// change is within one group. Cost: to the members of each group their own permit's event. Errors:
/// also kUsage if there is no permit, or two are for different events.
void add_shared_discrete_gaussian_noise(std::vector<Permit> permits, const Sensitivity& sensitivity,
                                        std::span<int64_t> units, RandomSource& source);

/// The discrete Gaussian mechanism from a table for many entries, or by a scan whose time does not
/// depend on the draws. Guarantee: up to kDiscreteGaussianTableError in total variation per entry,
/// for which the charge must hold a sampler_error event. Errors: also kUsage if the table or the
/// scan has another standard deviation than was charged.
void add_discrete_gaussian_noise(Permit permit, const Sensitivity& sensitivity,
                                 const DiscreteGaussianTable& table, std::span<int64_t> units,
                                 RandomSource& source);
void add_discrete_gaussian_noise(Permit permit, const Sensitivity& sensitivity,
                                 const DiscreteGaussianScan& scan, std::span<int64_t> units,
                                 RandomSource& source);

}  // namespace equinoise
