// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/correlation.h"

#include <algorithm>

#include "equinoise/models/network/aligned_vector.h"

namespace equinoise {

namespace {

/// (blocks of maps) of (num_taps, maps of a block), 0 for maps that complete a block. at(t, o) is
/// the weight.
template <typename At>
void pack(size_t num_taps, size_t num_maps, size_t num_rows, const At& at,
          AlignedVector<float>& packed) {
  packed.assign(round_up(num_maps, num_rows) * num_taps, 0.0F);
  for (size_t o = 0; o < num_maps; ++o) {
    float* block = packed.data() + o / num_rows * num_rows * num_taps + o % num_rows;
    for (size_t t = 0; t < num_taps; ++t) block[t * num_rows] = at(t, o);
  }
}

/// Sums of shifted maps: map o of `maps` (whole blocks, `stride` apart) at pixel p becomes the sum
/// over taps t of weight (t, o) * source[taps[t] + p].
void sum_shifted(const Kernels& kernels, const float* source, const std::vector<size_t>& taps,
                 const AlignedVector<float>& packed, size_t num_maps, size_t stride, float* maps) {
  for (size_t o = 0; o < num_maps; o += kernels.num_rows) {
    kernels.sum_rows({packed.data() + o * taps.size(), kernels.num_rows, source, taps.data(),
                      taps.size(), stride, maps + o * stride, stride});
  }
}

/// Adds the values that write_to(float*) writes.
template <typename WriteTo>
void add_written(size_t size, float* sum, const WriteTo& write_to) {
  thread_local AlignedVector<float> memory;
  float* added = scratch(memory, size);
  write_to(added);
  for (size_t p = 0; p < size; ++p) sum[p] += added[p];
}

}  // namespace

Correlation::Correlation(const MapShape& input, size_t num_channels, size_t kernel_size,
                         const Kernels& kernels)
    : kernels_(&kernels),
      input_(input),
      output_{num_channels, input.height - kernel_size + 1, input.width - kernel_size + 1},
      span_((output_.height - 1) * input.width + output_.width) {
  for (size_t c = 0; c < input.channels; ++c) {
    for (size_t y = 0; y < kernel_size; ++y) {
      for (size_t x = 0; x < kernel_size; ++x)
        taps_.push_back((c * input.height + y) * input.width + x);
    }
  }
  if (kernel_size == 3 && Winograd::pays(input_, output_, kernels))
    winograd_.emplace(input_, output_, kernels);
}

template <typename Finish>
void Correlation::for_each_output_map(const float* weights, size_t num_records, const float* inputs,
                                      float* outputs, const Finish& finish) const {
  thread_local AlignedVector<float> packed;
  thread_local AlignedVector<float> source_memory;
  thread_local AlignedVector<float> map_memory;
  const size_t num_maps = output_.channels;
  pack(
      num_taps(), num_maps, kernels_->num_rows,
      [&](size_t t, size_t o) { return weights[t * num_maps + o]; }, packed);
  const size_t stride = round_up(span_, kernels_->num_lanes);
  const size_t size = input_.num_values();
  float* maps = scratch(map_memory, round_up(num_maps, kernels_->num_rows) * stride);
  for (size_t i = 0; i < num_records; ++i) {
    const float* source = inputs + i * size;
    // Vectors read beyond the last pixel; results from there are dropped.
    if ((num_records - i - 1) * size < stride - span_) {
      float* copy = scratch(source_memory, size + stride - span_);
      std::copy_n(source, size, copy);
      std::fill_n(copy + size, stride - span_, 0.0F);
      source = copy;
    }
    sum_shifted(*kernels_, source, taps_, packed, num_maps, stride, maps);
    for (size_t o = 0; o < num_maps; ++o, outputs += output_.height * output_.width)
      finish(o, maps + o * stride, outputs);
  }
}

void Correlation::outputs(const float* weights, const float* bias, size_t num_records,
                          const float* inputs, float* outputs) const {
  if (winograd_) return winograd_->outputs(weights, bias, num_records, inputs, outputs);
  for_each_output_map(
      weights, num_records, inputs, outputs, [&](size_t map, const float* from, float* to) {
        kernels_->copy_rows(
            {from, input_.width, to, output_.width, output_.height, output_.width, bias[map]});
      });
}

void Correlation::add_outputs(const float* weights, size_t num_records, const float* inputs,
                              float* outputs) const {
  if (winograd_) {
    return add_written(num_records * output_.num_values(), outputs, [&](float* to) {
      winograd_->outputs(weights, nullptr, num_records, inputs, to);
    });
  }
  for_each_output_map(weights, num_records, inputs, outputs,
                      [&](size_t, const float* from, float* to) {
                        for (size_t y = 0; y < output_.height; ++y) {
                          for (size_t x = 0; x < output_.width; ++x)
                            to[y * output_.width + x] += from[y * input_.width + x];
                        }
                      });
}

void Correlation::spread(const float* map, float* to) const {
  kernels_->copy_rows({map, output_.width, to, input_.width, output_.height, output_.width, 0.0F});
}

/// Computes the same sums with the roles of the channels exchanged: with zeros around, an input's
/// gradient is a sum of output gradients shifted the other way.
void Correlation::input_gradient(const float* weights, size_t num_records,
                                 const float* output_gradient, Write write,
                                 float* input_gradient) const {
  if (winograd_) {
    const auto write_to = [&](float* to) {
      winograd_->input_gradient(weights, num_records, output_gradient, to);
    };
    if (write == Write::kReplace) return write_to(input_gradient);
    return add_written(num_records * input_.num_values(), input_gradient, write_to);
  }
  thread_local AlignedVector<float> packed;
  thread_local AlignedVector<float> source_memory;
  thread_local AlignedVector<float> map_memory;
  thread_local std::vector<size_t> taps;
  thread_local std::vector<size_t> weight_of;  // of each tap, for the first input channel
  const size_t plane = input_.height * input_.width;
  const size_t num_maps = input_.channels;
  const size_t per_map = num_taps() / num_maps;
  const size_t stride = round_up(plane, kernels_->num_lanes);
  const size_t margin = plane - span_;  // the largest shift
  const size_t pitch = margin + stride + margin;
  taps.clear();
  weight_of.clear();
  for (size_t o = 0; o < output_.channels; ++o) {
    for (size_t k = 0; k < per_map; ++k) {
      taps.push_back(o * pitch + margin - taps_[k]);
      weight_of.push_back(k * output_.channels + o);
    }
  }
  pack(
      taps.size(), num_maps, kernels_->num_rows,
      [&](size_t t, size_t c) { return weights[c * per_map * output_.channels + weight_of[t]]; },
      packed);
  float* source = scratch(source_memory, output_.channels * pitch);
  std::fill_n(source, output_.channels * pitch, 0.0F);
  float* maps = scratch(map_memory, round_up(num_maps, kernels_->num_rows) * stride);
  for (size_t i = 0; i < num_records; ++i) {
    const float* gradient = output_gradient + i * output_.num_values();
    for (size_t o = 0; o < output_.channels; ++o)
      spread(gradient + o * output_.height * output_.width, source + o * pitch + margin);
    sum_shifted(*kernels_, source, taps, packed, num_maps, stride, maps);
    float* result = input_gradient + i * input_.num_values();
    for (size_t c = 0; c < num_maps; ++c, result += plane) {
      const float* map = maps + c * stride;
      if (write == Write::kReplace) {
        std::copy_n(map, plane, result);
      } else {
        for (size_t p = 0; p < plane; ++p) result[p] += map[p];
      }
    }
  }
}

void Correlation::weight_gradients(size_t num_records, const float* inputs,
                                   const float* output_gradient, size_t gradient_stride,
                                   float* weight_gradients) const {
  if (winograd_) {
    return winograd_->weight_gradients(num_records, inputs, output_gradient, gradient_stride,
                                       weight_gradients);
  }
  thread_local AlignedVector<float> source_memory;
  thread_local AlignedVector<float> map_memory;
  const size_t num_maps = output_.channels;
  const size_t stride = round_up(span_, kernels_->num_lanes);
  const size_t plane = input_.height * input_.width;
  // The taps of a map read up to `beyond` values after it. Taps that would read after the end of
  // the record use a copy of its last maps, followed by zeros. That is the last map, or all maps if
  // they are smaller than `beyond`.
  const size_t beyond = stride - span_;
  const size_t num_copied = beyond <= plane ? 1 : input_.channels;
  const size_t num_others = num_taps() - num_copied * (num_taps() / input_.channels);
  float* last = scratch(source_memory, num_copied * plane + beyond);
  std::fill_n(last + num_copied * plane, beyond, 0.0F);
  // Positions of an output map without a pixel are 0 as well.
  const size_t num_values = round_up(num_maps, kernels_->num_rows) * stride;
  float* maps = scratch(map_memory, num_values);
  std::fill_n(maps, num_values, 0.0F);
  for (size_t i = 0; i < num_records; ++i) {
    const float* source = inputs + i * input_.num_values();
    std::copy_n(source + input_.num_values() - num_copied * plane, num_copied * plane, last);
    const float* gradient = output_gradient + i * output_.num_values();
    for (size_t o = 0; o < num_maps; ++o)
      spread(gradient + o * output_.height * output_.width, maps + o * stride);
    float* result = weight_gradients + i * gradient_stride;
    for (size_t o = 0; o < num_maps; o += kernels_->num_rows) {
      const size_t num_rows = std::min(kernels_->num_rows, num_maps - o);
      const auto take = [&](const float* from, size_t num_terms, float* to) {
        kernels_->take_inner_products({maps + o * stride, stride, num_rows, from, taps_.data(),
                                       num_terms, stride, to + o, num_maps});
      };
      take(source, num_others, result);
      take(last, num_taps() - num_others, result + num_others * num_maps);
    }
  }
}

}  // namespace equinoise
