// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace equinoise {

/// A block of rows, each a weighted sum of the same vectors: out(r, p) = sum over t of
/// weights[t * weight_pitch + r] * source[offsets[t] + p], for r < Kernels::num_rows and p < width.
///
/// Pre: width is a multiple of Kernels::num_lanes<Value>.
template <typename Value>
struct RowSums {
  const Value* weights;
  size_t weight_pitch;
  const Value* source;
  const size_t* offsets;  ///< (num_terms)
  size_t num_terms;
  size_t width;
  Value* out;
  size_t out_pitch;
};

/// Inner products of a block of rows with shifted vectors: out[t * out_pitch + r] = sum over p of
/// rows[r * row_pitch + p] * source[offsets[t] + p], for r < num_rows and p < width.
///
/// Pre: num_rows <= Kernels::num_rows; Kernels::num_rows rows can be read; width is a multiple of
/// Kernels::num_lanes. All offsets[t] + width values are read and used: they must be finite even
/// where a row is 0.
struct InnerProducts {
  const float* rows;
  size_t row_pitch;
  size_t num_rows;
  const float* source;
  const size_t* offsets;  ///< (num_terms)
  size_t num_terms;
  size_t width;
  float* out;
  size_t out_pitch;
};

/// Inner products of pairs of rows: out[i * out_pitch + j] = sum over p of rows[i * width + p] *
/// rows[j * width + p], for j <= i < num_rows.
///
/// Pre: width is a multiple of Kernels::num_lanes, out_pitch one of Kernels::num_rows and at least
/// num_rows; out_pitch rows can be read and written.
struct RowPairs {
  const double* rows;
  size_t width;
  size_t num_rows;
  double* out;
  size_t out_pitch;
};

/// Rows copied to another distance, with a number added: to[y * to_pitch + x] = from[y * from_pitch
/// + x] + added for x < num_columns. Up to Kernels::num_lanes values between the rows of `to` may
/// become 0; nothing behind the last row is written.
///
/// Pre: both pitches >= num_columns.
struct RowCopy {
  const float* from;
  size_t from_pitch;
  float* to;
  size_t to_pitch;
  size_t num_rows;
  size_t num_columns;
  float added;
};

/// Maps of height * width values, one after another, and the same as pixels: vectors of one value
/// of each of Kernels::num_lanes maps. Rows of vectors begin row_pitch vectors apart.
///
/// Pre: 1 <= num_maps <= Kernels::num_lanes <= height * width; width <= row_pitch.
template <typename MapValue, typename PixelValue>
struct MapPixels {
  MapValue* maps;
  size_t num_maps;
  size_t height;
  size_t width;
  PixelValue* pixels;
  size_t row_pitch;
  const float* added = nullptr;  ///< (num_maps), to each value of a map that is written
};

/// A grid of square tiles of vectors of Kernels::num_lanes values. It has the distances, in values,
/// to the next row and column of a tile and to the next tiles.
template <typename Value>
struct Tiles {
  Value* values;
  size_t row;
  size_t column;
  size_t tile_row;
  size_t tile_column;
};

/// Every tile x of a grid becomes T x T^T, for a matrix T of winograd.h.
///
/// Pre: on the side of pixels, tiles of a row are 4 columns apart.
struct TileTransform {
  Tiles<const float> from;
  Tiles<float> to;
  size_t num_tile_rows;
  size_t num_tile_columns;
  float* between;  ///< 6 * (4 * num_tile_columns + 2) vectors, written over
};

/// A product of matrices in panels of Kernels::num_lanes columns, which begin a pitch apart. Rows
/// within a panel are left_row and out_row apart; those of `right` follow each other. That distance
/// is num_lanes if panels are stored one after another. It is the width of a matrix that is stored
/// row by row, and the pitch is num_lanes then. Columns of `left` that complete its last panel are
/// not read.
struct PanelProduct {
  const float* left;
  size_t left_row;
  size_t left_pitch;
  const float* right;
  size_t right_pitch;
  float* out;
  size_t out_row;
  size_t out_pitch;
  size_t num_rows;  ///< of the product
  size_t num_terms;
  size_t num_panels;  ///< of `right` and of the product
};

/// Two rows of integers of 16 bits become one of pairs, the second's in the upper halves, in blocks
/// of Kernels::num_lanes, which begin out_pitch apart.
///
/// Pre: size is a multiple of Kernels::num_lanes.
struct PairRows {
  const int32_t* first;
  const int32_t* second;
  size_t size;
  int32_t* out;
  size_t out_pitch;
};

/// The number of bits of the lower parts of integers, see PairProducts.
inline constexpr int kLowBits = 11;

/// Adds up products of pairs: units[j * num_columns + k] += the sum over p of
/// inputs(p, j) * (2^kLowBits high(p, k) + low(p, k)). A product of pairs is the product of their
/// first numbers plus that of their second ones.
///
/// Pre: the sums over p of inputs(p, j) high(p, k), and low(p, k), fit into 32 bits.
struct PairProducts {
  const int32_t* inputs;     ///< blocks of (num_pairs, Kernels::num_lanes)
  size_t input_pitch;        ///< from block to block
  const int32_t* gradients;  ///< blocks of (num_pairs, high then low, Kernels::num_lanes)
  size_t gradient_pitch;
  size_t num_pairs;
  size_t num_rows;
  size_t num_columns;
  int64_t* units;
};

/// The inner loops of the layers, compiled for registers of one width. Results are the same on
/// every run on a machine, and differ by rounding between widths.
struct Kernels {
  const char* architecture;  ///< "x86-64-v4"
  size_t num_rows;           ///< of a block
  size_t num_lanes;          ///< single-precision values in a register
  size_t num_vectors;        ///< registers along a row of a block
  void (*sum_rows)(const RowSums<float>& sums);
  void (*sum_rows_double)(const RowSums<double>& sums);
  /// out[p] = sum over t of weights[t] * source[offsets[t] + p], for p < width, any width.
  void (*sum_row)(const float* weights, const float* source, const size_t* offsets,
                  size_t num_terms, size_t width, float* out);
  void (*take_inner_products)(const InnerProducts& products);
  void (*copy_rows)(const RowCopy& copy);
  /// The sum of the values, in double precision.
  double (*sum)(const float* values, size_t size);
  /// The sum of squares, in double precision.
  double (*squared_norm)(const float* values, size_t size);
  void (*multiply_pairs)(const RowPairs& pairs);
  /// sum[j] += factor * values[j].
  void (*add_scaled)(double factor, const double* values, size_t size, double* sum);
  /// out[j] = factor * values[j].
  void (*scale)(double factor, const float* values, size_t size, double* out);
  /// The largest |values[j]|.
  float (*largest_magnitude)(const float* values, size_t size);
  /// out[j] = factor * values[j], truncated towards zero.
  void (*truncate)(double factor, const float* values, size_t size, int32_t* out);
  /// The truncated product in two parts of the same sign: 2^kLowBits high[j] + low[j],
  /// |low[j]| < 2^kLowBits.
  void (*truncate_in_parts)(double factor, const float* values, size_t size, int32_t* high,
                            int32_t* low);
  /// sum[j] += values[j].
  void (*add_row)(const int32_t* values, size_t size, int32_t* sum);
  /// units[j] += factor * sum[j].
  void (*add_multiple)(int32_t factor, const int32_t* sum, size_t size, int64_t* units);
  void (*join_pairs)(const PairRows& rows);
  void (*add_pair_products)(const PairProducts& products);
  /// sum[j] += weight * values[j], truncated towards zero to an integer.
  void (*add_truncated)(double weight, const float* values, size_t size, double* sum);
  /// units[j] += sum[j]; the sums are integers.
  void (*add_integers)(const double* sum, size_t size, int64_t* units);
  /// Turns maps into pixels. The last map also fills the rest of a vector.
  void (*interleave)(const MapPixels<const float, float>& given);
  /// Turns pixels into maps.
  void (*separate)(const MapPixels<float, const float>& given);
  /// left * right.
  void (*multiply_panels)(const PanelProduct& product);
  /// left^T * right.
  void (*multiply_panels_transposed)(const PanelProduct& product);
  void (*transform_inputs)(const TileTransform& tiles);        ///< by B^T, 6 x 6 pixels
  void (*transform_inputs_back)(const TileTransform& tiles);   ///< by B, to 6 x 6 pixels, summed up
  void (*transform_outputs)(const TileTransform& tiles);       ///< by A^T, to 4 x 4 pixels
  void (*transform_outputs_back)(const TileTransform& tiles);  ///< by A, 4 x 4 pixels
  void (*transform_weights)(const TileTransform& tiles);       ///< by G, 3 x 3 pixels
  void (*transform_weights_back)(const TileTransform& tiles);  ///< by G^T, to 3 x 3 pixels
};

extern const Kernels kKernelsV3;      // 256 bits, which the rest of the library needs too
extern const Kernels kKernelsV4;      // 512 bits
extern const Kernels kKernelsV4Vnni;  // the same with sums of products of pairs in one instruction

/// Returns whether this machine can run them.
bool can_run(const Kernels& kernels);

/// The widest kernels that this machine can run.
const Kernels& widest_kernels();

}  // namespace equinoise
