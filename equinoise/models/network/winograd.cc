// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/winograd.h"

#include <algorithm>

namespace equinoise {

namespace {

constexpr size_t kTaps = 9;
constexpr size_t kTile = 4;      // outputs along a tile
constexpr size_t kOverlap = 2;   // inputs that neighbouring tiles have in common
constexpr size_t kEntries = 36;  // of a transformed tile

/// The cost of transforming a tile of as many channels as fill a register, in products of
/// registers. Measured with maps of 6 x 6 to 26 x 26 between 1 to 64 channels: where pays() is true
/// the transformed product takes 0.4 to 1.1 times the time, most often less than 0.7.
constexpr size_t kProductsPerTransform = 500;

size_t divide_up(size_t value, size_t unit) { return (value + unit - 1) / unit; }

}  // namespace

/// A thread's working memory, which only grows. Values are not kept between uses.
struct Winograd::Memory {
  AlignedVector<float> inputs;
  AlignedVector<float> outputs;
  AlignedVector<float> weights;
  AlignedVector<float> packed_weights;
  AlignedVector<float> pixels;
  AlignedVector<float> between;

  static Memory& here() {
    thread_local Memory memory;
    return memory;
  }
};

/// A matrix for each entry of transformed tiles or weights, in panels.
struct Winograd::Matrices {
  float* values;
  size_t num_panels;
  size_t panel_pitch;
  size_t pitch;  ///< from matrix to matrix

  template <typename Value>
  Tiles<Value> tiles(size_t panel, size_t tile_row, size_t tile_column) const {
    return {values + panel * panel_pitch, 6 * pitch, pitch, tile_row, tile_column};
  }

  /// Multiplies by Kernels::multiply_panels or multiply_panels_transposed.
  static void multiply(void (*multiply)(const PanelProduct& product), size_t num_lanes,
                       const Matrices& left, const Matrices& right, size_t num_rows,
                       size_t num_terms, const Matrices& out) {
    for (size_t k = 0; k < kEntries; ++k) {
      multiply({left.values + k * left.pitch, num_lanes, left.panel_pitch,
                right.values + k * right.pitch, right.panel_pitch, out.values + k * out.pitch,
                num_lanes, out.panel_pitch, num_rows, num_terms, out.num_panels});
    }
  }
};

bool Winograd::pays(const MapShape& input, const MapShape& output, const Kernels& kernels) {
  const size_t lanes = kernels.num_lanes;
  if (output.height * output.width < lanes) return false;
  const size_t num_tiles = divide_up(output.height, kTile) * divide_up(output.width, kTile);
  const size_t num_input_panels = divide_up(input.channels, lanes);
  const size_t num_output_panels = divide_up(output.channels, lanes);
  const size_t products = num_tiles * kEntries * input.channels * num_output_panels;
  const size_t transforms =
      num_tiles * (num_input_panels + num_output_panels) * kProductsPerTransform;
  return products + transforms < kTaps * input.channels * output.num_values() / lanes;
}

Winograd::Winograd(const MapShape& input, const MapShape& output, const Kernels& kernels)
    : kernels_(&kernels),
      tile_rows_(divide_up(output.height, kTile)),
      tile_columns_(divide_up(output.width, kTile)),
      input_{input, tile_rows_ * kTile + kOverlap, tile_columns_ * kTile + kOverlap},
      output_{output, tile_rows_ * kTile, tile_columns_ * kTile} {}

/// An odd number of vectors from matrix to matrix keeps the entries of a tile from competing for
/// the same places in the cache.
Winograd::Matrices Winograd::make_matrices(size_t num_rows, size_t num_channels,
                                           AlignedVector<float>& memory) const {
  const size_t lanes = kernels_->num_lanes;
  const size_t num_panels = divide_up(num_channels, lanes);
  const size_t pitch = (num_panels * num_rows | 1) * lanes;
  return {scratch(memory, kEntries * pitch), num_panels, num_rows * lanes, pitch};
}

float* Winograd::between() const {
  return scratch(Memory::here().between, 6 * input_.num_columns * kernels_->num_lanes);
}

template <typename At>
Winograd::Matrices Winograd::transformed_weights(size_t num_rows, size_t num_columns,
                                                 const At& at) const {
  Memory& memory = Memory::here();
  const size_t lanes = kernels_->num_lanes;
  const Matrices result = make_matrices(num_rows, num_columns, memory.weights);
  const size_t num_vectors = result.num_panels * num_rows;
  float* packed = scratch(memory.packed_weights, num_vectors * kTaps * lanes);
  std::fill_n(packed, num_vectors * kTaps * lanes, 0.0F);
  for (size_t column = 0; column < num_columns; ++column) {
    float* to = packed + column / lanes * num_rows * kTaps * lanes + column % lanes;
    for (size_t row = 0; row < num_rows; ++row) {
      for (size_t tap = 0; tap < kTaps; ++tap, to += lanes) *to = at(row, tap, column);
    }
  }
  kernels_->transform_weights({{packed, 3 * lanes, lanes, kTaps * lanes, 0},
                               result.tiles<float>(0, lanes, 0),
                               num_vectors,
                               1,
                               between()});
  return result;
}

void Winograd::transform(const Side& side, const float* maps, TransformTiles transform_tiles,
                         const Matrices& to) const {
  Memory& memory = Memory::here();
  const size_t lanes = kernels_->num_lanes;
  const auto& [channels, height, width] = side.maps;
  const size_t row = side.num_columns * lanes;
  float* pixels = scratch(memory.pixels, side.num_rows * row);
  for (size_t y = 0; y < height; ++y)
    std::fill(pixels + y * row + width * lanes, pixels + (y + 1) * row, 0.0F);
  std::fill(pixels + height * row, pixels + side.num_rows * row, 0.0F);
  for (size_t panel = 0; panel < to.num_panels; ++panel) {
    const size_t channel = panel * lanes;
    kernels_->interleave({maps + channel * height * width, std::min(lanes, channels - channel),
                          height, width, pixels, side.num_columns});
    transform_tiles({{pixels, row, lanes, kTile * row, kTile * lanes},
                     to.tiles<float>(panel, tile_columns_ * lanes, lanes),
                     tile_rows_,
                     tile_columns_,
                     between()});
  }
}

void Winograd::transform_back(const Matrices& from, TransformTiles transform_tiles,
                              const float* bias, const Side& side, float* maps) const {
  Memory& memory = Memory::here();
  const size_t lanes = kernels_->num_lanes;
  const auto& [channels, height, width] = side.maps;
  const size_t row = side.num_columns * lanes;
  float* pixels = scratch(memory.pixels, side.num_rows * row);
  for (size_t panel = 0; panel < from.num_panels; ++panel) {
    const size_t channel = panel * lanes;
    transform_tiles({from.tiles<const float>(panel, tile_columns_ * lanes, lanes),
                     {pixels, row, lanes, kTile * row, kTile * lanes},
                     tile_rows_,
                     tile_columns_,
                     between()});
    kernels_->separate({maps + channel * height * width, std::min(lanes, channels - channel),
                        height, width, pixels, side.num_columns,
                        bias == nullptr ? nullptr : bias + channel});
  }
}

void Winograd::outputs(const float* weights, const float* bias, size_t num_records,
                       const float* inputs, float* outputs) const {
  Memory& memory = Memory::here();
  const size_t num_inputs = input_.maps.channels;
  const size_t num_outputs = output_.maps.channels;
  const Matrices w =
      transformed_weights(num_inputs, num_outputs, [&](size_t input, size_t tap, size_t output) {
        return weights[(input * kTaps + tap) * num_outputs + output];
      });
  const Matrices d = make_matrices(num_tiles(), num_inputs, memory.inputs);
  const Matrices y = make_matrices(num_tiles(), num_outputs, memory.outputs);
  for (size_t i = 0; i < num_records; ++i) {
    transform(input_, inputs + i * input_.maps.num_values(), kernels_->transform_inputs, d);
    Matrices::multiply(kernels_->multiply_panels, kernels_->num_lanes, d, w, num_tiles(),
                       num_inputs, y);
    transform_back(y, kernels_->transform_outputs, bias, output_,
                   outputs + i * output_.maps.num_values());
  }
}

void Winograd::input_gradient(const float* weights, size_t num_records,
                              const float* output_gradient, float* input_gradient) const {
  Memory& memory = Memory::here();
  const size_t num_inputs = input_.maps.channels;
  const size_t num_outputs = output_.maps.channels;
  const Matrices w =
      transformed_weights(num_outputs, num_inputs, [&](size_t output, size_t tap, size_t input) {
        return weights[(input * kTaps + tap) * num_outputs + output];
      });
  const Matrices y = make_matrices(num_tiles(), num_outputs, memory.outputs);
  const Matrices d = make_matrices(num_tiles(), num_inputs, memory.inputs);
  for (size_t i = 0; i < num_records; ++i) {
    transform(output_, output_gradient + i * output_.maps.num_values(),
              kernels_->transform_outputs_back, y);
    Matrices::multiply(kernels_->multiply_panels, kernels_->num_lanes, y, w, num_tiles(),
                       num_outputs, d);
    transform_back(d, kernels_->transform_inputs_back, nullptr, input_,
                   input_gradient + i * input_.maps.num_values());
  }
}

void Winograd::weight_gradients(size_t num_records, const float* inputs,
                                const float* output_gradient, size_t gradient_stride,
                                float* weight_gradients) const {
  Memory& memory = Memory::here();
  const size_t lanes = kernels_->num_lanes;
  const size_t num_inputs = input_.maps.channels;
  const size_t num_outputs = output_.maps.channels;
  const Matrices d = make_matrices(num_tiles(), num_inputs, memory.inputs);
  const Matrices y = make_matrices(num_tiles(), num_outputs, memory.outputs);
  const Matrices w = make_matrices(num_inputs, num_outputs, memory.weights);
  const size_t width = w.num_panels * lanes;
  float* padded = scratch(memory.packed_weights, num_inputs * kTaps * width);
  for (size_t i = 0; i < num_records; ++i) {
    transform(input_, inputs + i * input_.maps.num_values(), kernels_->transform_inputs, d);
    transform(output_, output_gradient + i * output_.maps.num_values(),
              kernels_->transform_outputs_back, y);
    Matrices::multiply(kernels_->multiply_panels_transposed, kernels_->num_lanes, d, y, num_inputs,
                       num_tiles(), w);
    float* result = weight_gradients + i * gradient_stride;
    float* to = width == num_outputs ? result : padded;
    for (size_t panel = 0; panel < w.num_panels; ++panel) {
      kernels_->transform_weights_back({w.tiles<const float>(panel, lanes, 0),
                                        {to + panel * lanes, 3 * width, width, kTaps * width, 0},
                                        num_inputs,
                                        1,
                                        between()});
    }
    if (to != result)
      kernels_->copy_rows({to, width, result, num_outputs, num_inputs * kTaps, num_outputs, 0.0F});
  }
}

}  // namespace equinoise
