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
/// Pre: num_rows <= Kernels::num_rows, as many of which can be read; width is a multiple of
/// Kernels::num_lanes. All of the offsets[t] + width values are read, and count: where a row is 0
/// they must be finite.
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
  /// In double precision.
  double (*sum)(const float* values, size_t size);
  /// The sum of squares, in double precision.
  double (*squared_norm)(const float* values, size_t size);
  /// sum[j] += factor * values[j].
  void (*add_scaled)(double factor, const double* values, size_t size, double* sum);
  /// out[j] = factor * values[j].
  void (*scale)(double factor, const float* values, size_t size, double* out);
  /// The same, truncated towards zero to an integer.
  void (*scale_truncated)(double factor, const float* values, size_t size, double* out);
  /// sum[j] += weight * values[j], truncated towards zero to an integer.
  void (*add_truncated)(double weight, const float* values, size_t size, double* sum);
  /// units[j] += factor * sum[j], rounded to the nearest integer.
  void (*add_rounded)(double factor, const double* sum, size_t size, int64_t* units);
};

extern const Kernels kKernelsV3;  // 256 bits, what the rest of the library needs, too
extern const Kernels kKernelsV4;  // 512 bits

/// Whether this machine can run them.
bool can_run(const Kernels& kernels);

/// The widest that this machine can run.
const Kernels& widest_kernels();

}  // namespace equinoise
