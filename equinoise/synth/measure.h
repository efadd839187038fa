// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "equinoise/privacy/charge.h"
#include "equinoise/synth/graph/measurement.h"
#include "equinoise/synth/marginal_source.h"

namespace equinoise {

/// Releases the marginal of `set`: exact integer counts plus exact discrete Gaussian noise.
///
/// Relation: the charge's, zero_out or add_remove. Sensitivity: one record is in one cell, so the
/// counts change by 1 in L1 norm (and in L2). Cost: the permit's event,
/// discrete_gaussian(noise_stddev, 1). Source: [CanonneKamathSteinke2020]. Errors: as
/// count_marginals and add_discrete_gaussian_noise; never for the content of records.
NoisyMarginal measure_marginal(const MarginalSource& records, const AttributeSet& set,
                               Permit permit, Relation relation, RandomSource& source);

/// Releases the marginal of one attribute, with codes of equal `part_of` counted together (codes: 0
/// to the number of parts - 1). One record is in one part.
NoisyMarginal measure_parts(const MarginalSource& records, int attribute,
                            std::span<const size_t> part_of, Permit permit, Relation relation,
                            RandomSource& source);

}  // namespace equinoise
