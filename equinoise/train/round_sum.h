// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// A sum in units of the grid `from` becomes one in units of `to`, both powers of two, each entry
/// rounded to the nearest. To be called for the sum of a whole batch and not of its parts, so that
/// a null record, which moves the ends of parts, changes nothing (Model::exact_grid).
void round_sum(double from, double to, std::span<int64_t> sum);

}  // namespace equinoise
