// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/matrix_product.h"

#include <algorithm>

#include "equinoise/models/network/aligned_vector.h"

namespace equinoise {

namespace {

/// `right` is in panels of num_lanes columns, (depth, num_lanes) each.
void multiply_panels(size_t num_rows, size_t depth, size_t width, const float* left,
                     const float* right, float* out, const Kernels& kernels) {
  thread_local AlignedVector<float> padded;
  const size_t lanes = kernels.num_lanes;
  const size_t whole = round_up(width, lanes);
  float* rows = whole == width ? out : scratch(padded, num_rows * whole);
  kernels.multiply_panels({left, depth, lanes, right, depth * lanes, rows, whole, lanes, num_rows,
                           depth, whole / lanes});
  if (rows == out) return;
  for (size_t i = 0; i < num_rows; ++i) std::copy_n(rows + i * whole, width, out + i * width);
}

}  // namespace

void multiply(size_t num_rows, size_t depth, size_t width, const float* left, const float* right,
              float* out, const Kernels& kernels) {
  thread_local AlignedVector<float> panels;
  const size_t lanes = kernels.num_lanes;
  float* panel = scratch(panels, depth * round_up(width, lanes));
  for (size_t p = 0; p < width; p += lanes, panel += depth * lanes)
    kernels.copy_rows({right + p, width, panel, lanes, depth, std::min(lanes, width - p), 0});
  multiply_panels(num_rows, depth, width, left, panels.data(), out, kernels);
}

void multiply_transposed(size_t num_rows, size_t depth, size_t width, const float* left,
                         const float* right, float* out, const Kernels& kernels) {
  thread_local AlignedVector<float> panels;
  const size_t lanes = kernels.num_lanes;
  float* panel = scratch(panels, depth * round_up(width, lanes));
  for (size_t p = 0; p < width; p += lanes, panel += depth * lanes) {
    const size_t here = std::min(lanes, width - p);
    const float* columns = right + p * depth;
    if (depth >= lanes) {
      kernels.interleave({columns, here, 1, depth, panel, depth});
      continue;
    }
    for (size_t t = 0; t < depth; ++t) {
      for (size_t k = 0; k < lanes; ++k)
        panel[t * lanes + k] = k < here ? columns[k * depth + t] : 0;
    }
  }
  multiply_panels(num_rows, depth, width, left, panels.data(), out, kernels);
}

}  // namespace equinoise
