// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// The grid of a sum of `num_records` vectors, each of at most `bound` in L2, with noise of that
/// standard deviation: a public power of two on which twice the sum fits 64 bits.
///
/// Truncating a record's vector towards zero on the grid does not lengthen it, so its sensitivity
/// is `bound` on any grid. The loss is far below the noise. If there are too many records for so
/// fine a grid, the loss is below 2^-59 of the largest possible sum.
double grid_of_sum(double bound, double noise_stddev, int64_t num_records);

/// Converts a sum from units of the grid `from` to units of `to`, both powers of two, rounding each
/// entry to the nearest. Call it for the sum of a whole batch, not for its parts: a null record
/// moves the ends of parts, and must change nothing (Model::exact_grid).
void round_sum(double from, double to, std::span<int64_t> sum);

}  // namespace equinoise
