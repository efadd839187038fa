// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/network/aligned_vector.h"
#include "equinoise/models/network/kernels.h"
#include "equinoise/models/network/map_shape.h"

namespace equinoise {

/// Correlations with kernels of 3 x 3, see correlation.h, by Winograd's minimal filtering F(4 x 4,
/// 3 x 3) [Winograd1980; LavinGray2016]. Outputs come in tiles y of 4 x 4, each from the 6 x 6
/// inputs d that it depends on, as
///   y = A^T [sum over channels of (G w G^T) * (B^T d B)] A,
/// products taken entry by entry: 36 of them instead of 144. Over the tiles of a record each entry
/// is a product of matrices.
///
/// Gradients are the same steps transposed. The gradient at the inputs is the sum of
/// B [(G w G^T) * (A y' A^T)] B^T over tiles, which overlap. At the weights it is
/// G^T [sum over tiles of (B^T d B) * (A y' A^T)] G.
///
/// Channels lie side by side in registers; zeros complete the tiles at the borders. A record's
/// results depend on that record alone. A result's rounding error is relative to the largest values
/// of its tile, not only to those in its sum.
class Winograd {
 public:
  /// Returns whether this is possible and faster than sums of shifted maps, for kernels of 3 x 3.
  static bool pays(const MapShape& input, const MapShape& output, const Kernels& kernels);

  /// Pre: an output map has kernels.num_lanes pixels or more.
  Winograd(const MapShape& input, const MapShape& output, const Kernels& kernels);

  /// Computes the same as Correlation and replaces results. bias: null for none.
  void outputs(const float* weights, const float* bias, size_t num_records, const float* inputs,
               float* outputs) const;
  void input_gradient(const float* weights, size_t num_records, const float* output_gradient,
                      float* input_gradient) const;
  void weight_gradients(size_t num_records, const float* inputs, const float* output_gradient,
                        size_t gradient_stride, float* weight_gradients) const;

 private:
  /// The maps of either side, and the number of pixels that the tiles cover.
  struct Side {
    MapShape maps;
    size_t num_rows;
    size_t num_columns;
  };
  struct Matrices;
  struct Memory;
  using TransformTiles = void (*)(const TileTransform& tiles);

  size_t num_tiles() const { return tile_rows_ * tile_columns_; }
  Matrices make_matrices(size_t num_rows, size_t num_channels, AlignedVector<float>& memory) const;

  float* between() const;  // see TileTransform

  /// The matrix (num_rows, num_columns) of weights for each entry. at(row, tap, column) is a
  /// weight.
  template <typename At>
  Matrices transformed_weights(size_t num_rows, size_t num_columns, const At& at) const;

  /// Turns a record's maps into matrices (tiles, channels), and back.
  void transform(const Side& side, const float* maps, TransformTiles transform_tiles,
                 const Matrices& to) const;
  void transform_back(const Matrices& from, TransformTiles transform_tiles, const float* bias,
                      const Side& side, float* maps) const;

  const Kernels* kernels_;
  size_t tile_rows_;
  size_t tile_columns_;
  Side input_;
  Side output_;
};

}  // namespace equinoise
