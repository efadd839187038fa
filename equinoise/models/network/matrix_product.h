// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "equinoise/models/network/kernels.h"

namespace equinoise {

/// out (num_rows, width) = left (num_rows, depth) * right (depth, width), row by row in memory. A
/// row of the product depends on that row of `left` alone.
void multiply(size_t num_rows, size_t depth, size_t width, const float* left, const float* right,
              float* out, const Kernels& kernels = widest_kernels());

/// The product with `right` given as its transpose, (width, depth).
void multiply_transposed(size_t num_rows, size_t depth, size_t width, const float* left,
                         const float* right, float* out, const Kernels& kernels = widest_kernels());

}  // namespace equinoise
