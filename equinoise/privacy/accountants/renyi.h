// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/privacy/event.h"

namespace equinoise {

// Renyi divergences of order `order` > 1 between the outputs of one mechanism on neighbours. They
// are upper bounds on both directions, rounded up, and exact except for rounding unless stated
// otherwise. Proofs: docs/theory/accountants.md.

/// The divergence of binary randomised response. Every epsilon-DP mechanism is at least as private.
/// [KairouzOhViswanath2015]
double pure_renyi(double epsilon, double order);

/// `shift` = L1 sensitivity / scale. [Mironov2017, Prop. 6]
double laplace_renyi(double shift, double order);

/// Noise Pr[x] ~ exp(-decay |x|) on integers that change by at most `sensitivity` in L1 norm.
double discrete_laplace_renyi(double decay, int64_t sensitivity, double order);

/// The divergence of the least private mechanism whose log-ratios lie in an interval of width
/// `epsilon`. [DongDurfeeRogers2020]
double bounded_range_renyi(double epsilon, double order);

/// Between two different inputs; see Event::Kind::kRandomisedResponse.
double randomised_response_renyi(double noise_parameter, int64_t buckets, double order);

/// The divergence of a single mechanism: an event without children that is no sampler error. For
/// approximate DP it excludes delta. The discrete Gaussian is exact at integer orders and bounded
/// by its rho at others [CanonneKamathSteinke2020, Prop. 5].
double renyi_divergence(const Event& mechanism, double order);

/// The divergence of infinite order: an epsilon for which the mechanism is epsilon-DP (except for
/// its delta), rounded up; infinity if there is none.
double max_divergence(const Event& mechanism);

/// rho for which the Renyi divergence is at most rho * order, rounded up; infinity for a kind that
/// is not Gaussian or known by its rho.
double gaussian_rho(const Event& mechanism);

}  // namespace equinoise
