// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace equinoise {

// Renyi divergences of a mechanism that sees a Poisson batch: upper bounds on both directions,
// rounded up, for zero_out and add_remove.
//
// They are those of ((1-q) Q + q P || Q), which is the larger direction wherever a
// measure-preserving involution exchanges P and Q, as x -> shift - x does for symmetric noise.
// [MironovTalwarZhang2019, Theorem 5; docs/theory/accountants.md]

/// (orders) The divergences of Gaussian noise, orders in (1, 10^4].
///
/// Exact at integer orders (binomial sum of positive terms) and at fractional ones from 1.05 to 64
/// (trapezoid rule on a strip where the integrand is analytic). Other orders take the bound from
/// the convexity of the log moment, or that of order 1.05. Deviation: the well-known series for
/// fractional orders adds absolute values and over-reports; see docs/theory/published-mistakes.md.
std::vector<double> poisson_gaussian_renyi(double sample_rate, double noise_multiplier,
                                           const std::vector<double>& orders);

/// (orders) The divergences of any mechanism with such an involution; divergence(order) is its own.
/// Exact (as far as divergence() is) at integer orders. Linear interpolation of the convex log
/// moment bounds the others.
std::vector<double> poisson_renyi(double sample_rate,
                                  const std::function<double(double)>& divergence,
                                  const std::vector<double>& orders);

}  // namespace equinoise
