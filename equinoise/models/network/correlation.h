// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "equinoise/models/network/kernels.h"
#include "equinoise/models/network/map_shape.h"
#include "equinoise/models/network/winograd.h"

namespace equinoise {

/// Cross-correlations of maps with square kernels, without padding and with stride 1, each record
/// by itself: output (o, y, x) = sum over taps t = (c, ky, kx) of weight (t, o) * input (c, y + ky,
/// x + kx).
///
/// No patch is ever copied: with the input's row length an output is a sum of shifted inputs, whose
/// last columns are dropped. Kernels of 3 x 3 between many channels take fewer products, with
/// rounding errors about twice as large, see winograd.h. Single precision; a record's results
/// depend on that record alone.
class Correlation {
 public:
  /// Pre: 1 <= kernel_size <= height and width; num_channels >= 1.
  Correlation(const MapShape& input, size_t num_channels, size_t kernel_size,
              const Kernels& kernels = widest_kernels());

  const MapShape& input() const { return input_; }
  const MapShape& output() const { return output_; }
  size_t num_taps() const { return taps_.size(); }  ///< (c, ky, kx), the last one fastest

  /// The mode of writing: results replace the old values or are added to them.
  enum class Write { kReplace, kAdd };

  /// The outputs. weights: (num_taps, output channels); bias: (output channels).
  void outputs(const float* weights, const float* bias, size_t num_records, const float* inputs,
               float* outputs) const;

  /// Adds the outputs without a bias.
  void add_outputs(const float* weights, size_t num_records, const float* inputs,
                   float* outputs) const;

  /// The gradient at the inputs for that at the outputs.
  void input_gradient(const float* weights, size_t num_records, const float* output_gradient,
                      Write write, float* input_gradient) const;

  /// Each record's gradient at the weights, (num_records, gradient_stride); the first
  /// num_taps * output channels values of a row are written.
  void weight_gradients(size_t num_records, const float* inputs, const float* output_gradient,
                        size_t gradient_stride, float* weight_gradients) const;

 private:
  /// finish(map, from, to) writes an output map; `from` has the input's row length.
  template <typename Finish>
  void for_each_output_map(const float* weights, size_t num_records, const float* inputs,
                           float* outputs, const Finish& finish) const;

  /// An output map with the input's row length, zeros in between.
  void spread(const float* map, float* to) const;

  const Kernels* kernels_;
  MapShape input_;
  MapShape output_;
  size_t span_;                       // pixels of an output map with the input's row length
  std::vector<size_t> taps_;          // the start of each tap's shifted map in the input
  std::optional<Winograd> winograd_;  // if that is faster
};

}  // namespace equinoise
