#include "equinoise/models/network/matrix_product.h"

#include <algorithm>
#include <vector>

#include "equinoise/models/network/aligned_vector.h"

namespace equinoise {

namespace {

/// Blocks of rows of the product. Rows of `right` stand `pitch` apart; as much of them as fills
/// whole registers can be read.
void multiply_padded(size_t num_rows, size_t depth, size_t width, const float* left,
                     const float* right, size_t pitch, float* out, const Kernels& kernels) {
  thread_local std::vector<size_t> offsets;
  thread_local AlignedVector<float> packed;
  thread_local AlignedVector<float> block;
  const size_t block_rows = kernels.num_rows;
  offsets.resize(depth);
  for (size_t t = 0; t < depth; ++t) offsets[t] = t * pitch;
  packed.resize(depth * block_rows);
  const size_t whole = round_up(width, kernels.num_lanes);
  block.resize(block_rows * whole);
  for (size_t i = 0; i < num_rows; i += block_rows) {
    const size_t here = std::min(block_rows, num_rows - i);
    for (size_t r = 0; r < block_rows; ++r) {
      const float* row = left + (i + r) * depth;
      for (size_t t = 0; t < depth; ++t) packed[t * block_rows + r] = r < here ? row[t] : 0;
    }
    const bool fits = here == block_rows && whole == width;
    float* rows = fits ? out + i * width : block.data();
    kernels.sum_rows({packed.data(), block_rows, right, offsets.data(), depth, whole, rows, whole});
    if (fits) continue;
    for (size_t r = 0; r < here; ++r)
      std::copy_n(block.data() + r * whole, width, out + (i + r) * width);
  }
}

}  // namespace

void multiply(size_t num_rows, size_t depth, size_t width, const float* left, const float* right,
              float* out, const Kernels& kernels) {
  thread_local AlignedVector<float> padded;
  const size_t pitch = row_pitch<float>(width);
  padded.resize(depth * pitch);
  for (size_t t = 0; t < depth; ++t)
    std::copy_n(right + t * width, width, padded.data() + t * pitch);
  multiply_padded(num_rows, depth, width, left, padded.data(), pitch, out, kernels);
}

void multiply_transposed(size_t num_rows, size_t depth, size_t width, const float* left,
                         const float* right, float* out, const Kernels& kernels) {
  thread_local AlignedVector<float> transposed;
  const size_t pitch = row_pitch<float>(width);
  transposed.resize(depth * pitch);
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
