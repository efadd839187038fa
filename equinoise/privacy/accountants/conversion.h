// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace equinoise {

/// The epsilon at `delta` > 0 of a mechanism with the Renyi divergence `divergence` of order
/// `order`. [CanonneKamathSteinke2020, Prop. 12]
double renyi_epsilon(double order, double divergence, double delta);

/// The smallest delta at `epsilon` over orders and their divergences, rounded up; 1 if none is
/// below it. [CanonneKamathSteinke2020, Prop. 12]
double renyi_delta(const std::vector<double>& orders, const std::vector<double>& divergences,
                   double epsilon);

}  // namespace equinoise
