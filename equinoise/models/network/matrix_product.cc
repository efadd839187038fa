#include "equinoise/models/network/matrix_product.h"

#include <algorithm>
#include <vector>

namespace equinoise {

namespace {

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

/// Blocks of rows of the product; `pitch`, a whole number of registers, is the length of the rows
/// of `right`, of which `width` count.
void multiply_padded(size_t num_rows, size_t depth, size_t width, const float* left,
                     const float* right, size_t pitch, float* out, const Kernels& kernels) {
  thread_local std::vector<size_t> offsets;
  thread_local std::vector<float> packed;
  thread_local std::vector<float> block;
  const size_t block_rows = kernels.num_rows;
  offsets.resize(depth);
  for (size_t t = 0; t < depth; ++t) offsets[t] = t * pitch;
  packed.assign(depth * block_rows, 0.0F);
  block.resize(block_rows * pitch);
  for (size_t i = 0; i < num_rows; i += block_rows) {
    const size_t here = std::min(block_rows, num_rows - i);
    for (size_t r = 0; r < block_rows; ++r) {
      const float* row = left + (i + r) * depth;
      for (size_t t = 0; t < depth; ++t) packed[t * block_rows + r] = r < here ? row[t] : 0;
    }
    kernels.sum_rows(
        {packed.data(), block_rows, right, offsets.data(), depth, pitch, block.data(), pitch});
    for (size_t r = 0; r < here; ++r)
      std::copy_n(block.data() + r * pitch, width, out + (i + r) * width);
  }
}

}  // namespace

void multiply(size_t num_rows, size_t depth, size_t width, const float* left, const float* right,
              float* out, const Kernels& kernels) {
  const size_t pitch = round_up(width, kernels.num_lanes);
  if (pitch == width) {
    multiply_padded(num_rows, depth, width, left, right, pitch, out, kernels);
    return;
  }
  thread_local std::vector<float> padded;
  padded.assign(depth * pitch, 0.0F);
  for (size_t t = 0; t < depth; ++t)
    std::copy_n(right + t * width, width, padded.data() + t * pitch);
  multiply_padded(num_rows, depth, width, left, padded.data(), pitch, out, kernels);
}

void multiply_transposed(size_t num_rows, size_t depth, size_t width, const float* left,
                         const float* right, float* out, const Kernels& kernels) {
  thread_local std::vector<float> transposed;
  const size_t pitch = round_up(width, kernels.num_lanes);
  transposed.assign(depth * pitch, 0.0F);
  // Square pieces of both matrices stay in the cache.
  constexpr size_t kPiece = 16;
  for (size_t p = 0; p < width; p += kPiece) {
    for (size_t t = 0; t < depth; t += kPiece) {
      for (size_t k = t; k < std::min(t + kPiece, depth); ++k) {
        for (size_t j = p; j < std::min(p + kPiece, width); ++j)
          transposed[k * pitch + j] = right[j * depth + k];
      }
    }
  }
  multiply_padded(num_rows, depth, width, left, transposed.data(), pitch, out, kernels);
}

}  // namespace equinoise
