// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace equinoise {

/// (orders) An upper bound, rounded up, on the Renyi divergence under replace_one of Gaussian noise
/// on a uniform batch of a fixed size, a fraction `sample_rate` of all records. noise_multiplier =
/// stddev / L2 sensitivity of the batch's sum under replace_one.
///
/// It is the general bound with differences of moments at integer orders, interpolated between
/// them. [WangBalleKasiviswanathan2019, Theorem 9, Theorem 27, Corollary 10] The bound is loose: at
/// a small rate and little noise it may be several times the true divergence.
std::vector<double> without_replacement_gaussian_renyi(double sample_rate, double noise_multiplier,
                                                       const std::vector<double>& orders);

}  // namespace equinoise
