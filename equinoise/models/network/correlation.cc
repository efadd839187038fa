#include "equinoise/models/network/correlation.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace equinoise {

namespace {

/// Eight values of single precision in one register; compilers know arithmetic on it.
using Vector = float __attribute__((vector_size(32)));
constexpr size_t kLanes = 8;

// A block of four maps by three vectors of pixels, or by three taps, keeps twelve sums in
// registers.
constexpr size_t kMapBlock = 4;
constexpr size_t kPixelBlock = 3;
constexpr size_t kTapBlock = 3;

Vector load(const float* values) {
  Vector vector;
  std::memcpy(&vector, values, sizeof(vector));
  return vector;
}

void store(const Vector& vector, float* values) { std::memcpy(values, &vector, sizeof(vector)); }

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

float sum_of(const Vector& vector) {
  float sum = 0;
  for (size_t i = 0; i < kLanes; ++i) sum += vector[i];
  return sum;
}

/// (blocks of maps) of (num_taps, kMapBlock), 0 where there is no map. at(t, o) is the weight.
template <typename At>
void pack(size_t num_taps, size_t num_maps, const At& at, std::vector<float>& packed) {
  packed.assign(round_up(num_maps, kMapBlock) * num_taps, 0.0F);
  for (size_t o = 0; o < num_maps; ++o) {
    float* block = packed.data() + o / kMapBlock * kMapBlock * num_taps + o % kMapBlock;
    for (size_t t = 0; t < num_taps; ++t) block[t * kMapBlock] = at(t, o);
  }
}

/// Sums of shifted maps: map o of `maps` (whole blocks, `stride` apart) at pixel p becomes the sum
/// over taps t of weight (t, o) * source[taps[t] + p]. p runs over whole pixel blocks.
void sum_shifted(const float* source, const std::vector<size_t>& taps,
                 const std::vector<float>& packed, size_t num_maps, size_t stride,
                 float* __restrict maps) {
  const size_t num_taps = taps.size();
  for (size_t p = 0; p < stride; p += kPixelBlock * kLanes) {
    for (size_t o = 0; o < num_maps; o += kMapBlock) {
      const float* weights = packed.data() + o * num_taps;
      Vector sums[kMapBlock][kPixelBlock] = {};
      for (size_t t = 0; t < num_taps; ++t) {
        const float* pixels = source + taps[t] + p;
        const Vector values[kPixelBlock] = {load(pixels), load(pixels + kLanes),
                                            load(pixels + 2 * kLanes)};
        for (size_t i = 0; i < kMapBlock; ++i) {
          const float weight = weights[t * kMapBlock + i];
          for (size_t j = 0; j < kPixelBlock; ++j) sums[i][j] += weight * values[j];
        }
      }
      for (size_t i = 0; i < kMapBlock; ++i) {
        for (size_t j = 0; j < kPixelBlock; ++j)
          store(sums[i][j], maps + (o + i) * stride + p + j * kLanes);
      }
    }
  }
}

/// Per-thread memory that only grows. Values are not kept between uses.
float* scratch(std::vector<float>& memory, size_t size) {
  if (memory.size() < size) memory.resize(size);
  return memory.data();
}

}  // namespace

Correlation::Correlation(const MapShape& input, size_t num_channels, size_t kernel_size)
    : input_(input),
      output_{num_channels, input.height - kernel_size + 1, input.width - kernel_size + 1},
      span_((output_.height - 1) * input.width + output_.width) {
  for (size_t c = 0; c < input.channels; ++c) {
    for (size_t y = 0; y < kernel_size; ++y) {
      for (size_t x = 0; x < kernel_size; ++x)
        taps_.push_back((c * input.height + y) * input.width + x);
    }
  }
}

template <typename Finish>
void Correlation::for_each_output_row(const float* weights, size_t num_records, const float* inputs,
                                      float* outputs, const Finish& finish) const {
  thread_local std::vector<float> packed;
  thread_local std::vector<float> source_memory;
  thread_local std::vector<float> map_memory;
  const size_t num_maps = output_.channels;
  pack(
      num_taps(), num_maps, [&](size_t t, size_t o) { return weights[t * num_maps + o]; }, packed);
  const size_t stride = round_up(span_, kPixelBlock * kLanes);
  const size_t size = input_.num_values();
  // Blocks read beyond the last pixel; what they make of it is dropped.
  float* source = scratch(source_memory, size + stride - span_);
  std::fill_n(source + size, stride - span_, 0.0F);
  float* maps = scratch(map_memory, round_up(num_maps, kMapBlock) * stride);
  for (size_t i = 0; i < num_records; ++i) {
    std::copy_n(inputs + i * size, size, source);
    sum_shifted(source, taps_, packed, num_maps, stride, maps);
    for (size_t o = 0; o < num_maps; ++o) {
      for (size_t y = 0; y < output_.height; ++y, outputs += output_.width)
        finish(o, maps + o * stride + y * input_.width, outputs);
    }
  }
}

void Correlation::outputs(const float* weights, const float* bias, size_t num_records,
                          const float* inputs, float* outputs) const {
  for_each_output_row(weights, num_records, inputs, outputs,
                      [&](size_t map, const float* from, float* to) {
                        for (size_t x = 0; x < output_.width; ++x) to[x] = from[x] + bias[map];
                      });
}

void Correlation::add_outputs(const float* weights, size_t num_records, const float* inputs,
                              float* outputs) const {
  for_each_output_row(weights, num_records, inputs, outputs,
                      [&](size_t, const float* from, float* to) {
                        for (size_t x = 0; x < output_.width; ++x) to[x] += from[x];
                      });
}

/// The same sums with the roles of the channels exchanged: with zeros around, an input's gradient
/// is a sum of output gradients shifted the other way.
void Correlation::input_gradient(const float* weights, size_t num_records,
                                 const float* output_gradient, Write write,
                                 float* input_gradient) const {
  thread_local std::vector<float> packed;
  thread_local std::vector<float> source_memory;
  thread_local std::vector<float> map_memory;
  thread_local std::vector<size_t> taps;
  thread_local std::vector<size_t> weight_of;  // of each tap, for the first input channel
  const size_t plane = input_.height * input_.width;
  const size_t num_maps = input_.channels;
  const size_t per_map = num_taps() / num_maps;
  const size_t stride = round_up(plane, kPixelBlock * kLanes);
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
      taps.size(), num_maps,
      [&](size_t t, size_t c) { return weights[c * per_map * output_.channels + weight_of[t]]; },
      packed);
  float* source = scratch(source_memory, output_.channels * pitch);
  std::fill_n(source, output_.channels * pitch, 0.0F);
  float* maps = scratch(map_memory, round_up(num_maps, kMapBlock) * stride);
  for (size_t i = 0; i < num_records; ++i) {
    const float* gradient = output_gradient + i * output_.num_values();
    for (size_t o = 0; o < output_.channels; ++o) {
      for (size_t y = 0; y < output_.height; ++y, gradient += output_.width) {
        std::copy_n(gradient, output_.width, source + o * pitch + margin + y * input_.width);
      }
    }
    sum_shifted(source, taps, packed, num_maps, stride, maps);
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
  thread_local std::vector<float> source_memory;
  thread_local std::vector<float> map_memory;
  const size_t num_maps = output_.channels;
  const size_t stride = round_up(span_, kLanes);
  const size_t size = input_.num_values();
  float* source = scratch(source_memory, size + stride - span_);
  std::fill_n(source + size, stride - span_, 0.0F);
  // Zeros where an output map has no pixel.
  const size_t num_values = round_up(num_maps, kMapBlock) * stride;
  float* maps = scratch(map_memory, num_values);
  std::fill_n(maps, num_values, 0.0F);
  for (size_t i = 0; i < num_records; ++i) {
    std::copy_n(inputs + i * size, size, source);
    const float* gradient = output_gradient + i * output_.num_values();
    for (size_t o = 0; o < num_maps; ++o) {
      for (size_t y = 0; y < output_.height; ++y, gradient += output_.width)
        std::copy_n(gradient, output_.width, maps + o * stride + y * input_.width);
    }
    float* result = weight_gradients + i * gradient_stride;
    for (size_t o = 0; o < num_maps; o += kMapBlock) {
      for (size_t t = 0; t < num_taps(); t += kTapBlock) {
        std::array<const float*, kTapBlock> shifted;
        for (size_t j = 0; j < kTapBlock; ++j)
          shifted[j] = source + taps_[std::min(t + j, num_taps() - 1)];
        Vector sums[kMapBlock][kTapBlock] = {};
        for (size_t p = 0; p < stride; p += kLanes) {
          const Vector values[kTapBlock] = {load(shifted[0] + p), load(shifted[1] + p),
                                            load(shifted[2] + p)};
          for (size_t k = 0; k < kMapBlock; ++k) {
            const Vector slope = load(maps + (o + k) * stride + p);
            for (size_t j = 0; j < kTapBlock; ++j) sums[k][j] += slope * values[j];
          }
        }
        for (size_t j = 0; j < std::min(kTapBlock, num_taps() - t); ++j) {
          for (size_t k = 0; k < std::min(kMapBlock, num_maps - o); ++k)
            result[(t + j) * num_maps + o + k] = sum_of(sums[k][j]);
        }
      }
    }
  }
}

}  // namespace equinoise
