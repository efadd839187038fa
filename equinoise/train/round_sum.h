// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// The grid of a sum to which each of `num_records` adds at most `bound`, in L2, with noise of that
/// standard deviation: a power of two, public, on which twice the sum fits 64 bits.
///
/// A record's vector is cut towards zero on the grid, which makes it no longer: its sensitivity is
/// `bound` on any grid. What is cut off is lost in the noise. If there are too many records for so
/// fine a grid, it is below 2^-59 of what they can add up to.
double grid_of_sum(double bound, double noise_stddev, int64_t num_records);

/// A sum in units of the grid `from` becomes one in units of `to`, both powers of two, each entry
/// rounded to the nearest. To be called for the sum of a whole batch and not of its parts, so that
/// a null record, which moves the ends of parts, changes nothing (Model::exact_grid).
void round_sum(double from, double to, std::span<int64_t> sum);

}  // namespace equinoise
