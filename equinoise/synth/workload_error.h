// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/synth/coded_table.h"

namespace equinoise {

/// Half the L1 distance between the normalised counts of `real` and of `synthetic`, for each of
/// `sets`. Of rows without records it is 1, to real ones without records it is NaN. NOT
/// PRIVATE.
///
/// Memory: tables of the first are kept for as many sets at once as have 2^26 cells together.
/// Errors: kUsage if the tables have attributes of different sizes, or as count_marginals.
std::vector<double> marginal_distances(const CodedTable& real, const CodedTable& synthetic,
                                       std::span<const std::vector<int>> sets, int threads);

/// The mean of some distances; NaN of none.
double workload_error(std::span<const double> distances);

}  // namespace equinoise
