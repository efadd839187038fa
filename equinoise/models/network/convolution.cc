// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/convolution.h"

#include <fmt/format.h>

#include <numeric>

#include "equinoise/base/check.h"

namespace equinoise {

std::vector<std::string> Convolution::parameter_names() const {
  const MapShape& input = correlation_.input();
  const size_t kernel = input.height - output().height + 1;
  std::vector<std::string> names;
  names.reserve(num_parameters());
  for (size_t t = 0; t <= correlation_.num_taps(); ++t) {
    const std::string from =
        t < correlation_.num_taps()
            ? fmt::format("{},{},{}", t / kernel / kernel, t / kernel % kernel, t % kernel)
            : "bias";
    for (size_t o = 0; o < output().channels; ++o)
      names.push_back(fmt::format("{} -> {}", from, o));
  }
  return names;
}

void Convolution::initialise(std::mt19937_64& generator, std::span<double> parameters) const {
  initialise_uniformly(generator, correlation_.num_taps(), parameters);
}

void Convolution::forward(const float* parameters, size_t num_records, const float* inputs,
                          float* outputs) const {
  const float* bias = parameters + correlation_.num_taps() * output().channels;
  correlation_.outputs(parameters, bias, num_records, inputs, outputs);
}

void Convolution::backward(const LayerPoint& at, const float* output_gradient,
                           float* input_gradient) const {
  correlation_.input_gradient(at.parameters, at.num_records, output_gradient,
                              Correlation::Write::kReplace, input_gradient);
}

void Convolution::write_bias_gradients(size_t num_records, const float* output_gradient,
                                       float* gradients) const {
  const size_t plane = output().height * output().width;
  const size_t num_weights = correlation_.num_taps() * output().channels;
  for (size_t i = 0; i < num_records; ++i) {
    for (size_t o = 0; o < output().channels; ++o, output_gradient += plane) {
      gradients[i * num_parameters() + num_weights + o] =
          static_cast<float>(widest_kernels().sum(output_gradient, plane));
    }
  }
}

void Convolution::add_squared_norms(size_t num_records, const float* inputs,
                                    const float* output_gradient, float* kept,
                                    double* squared_norms) const {
  correlation_.weight_gradients(num_records, inputs, output_gradient, num_parameters(), kept);
  write_bias_gradients(num_records, output_gradient, kept);
  for (size_t i = 0; i < num_records; ++i) {
    squared_norms[i] += squared_norm_of(kept + i * num_parameters(), num_parameters());
  }
}

const std::vector<double>& Convolution::sum_exactly(size_t num_records, const float* kept,
                                                    const double* weights,
                                                    const SumScale& scale) const {
  if (!(static_cast<double>(num_records) * scale.bound / scale.grid < 0x1p53)) {
    throw Error(ErrorKind::kRuntime, "models.network", "the grid is too fine for exact sums");
  }
  thread_local std::vector<double> sum;
  sum.assign(num_parameters(), 0.0);
  for (size_t i = 0; i < num_records; ++i) {
    if (weights[i] == 0) continue;
    const float* gradient = kept + i * num_parameters();
    const double weight = weights[i] / scale.grid;
    widest_kernels().add_truncated(weight, gradient, sum.size(), sum.data());
  }
  return sum;
}

void Convolution::add_weighted_sum(size_t num_records, const float*, const float*,
                                   const float* kept, const double* weights, const SumScale& scale,
                                   int64_t* units) const {
  const std::vector<double>& sum = sum_exactly(num_records, kept, weights, scale);
  widest_kernels().add_integers(sum.data(), sum.size(), units);
}

double Convolution::squared_sum_norm(size_t num_records, const float*, const float*,
                                     const float* kept, const double* weights,
                                     const SumScale& scale) const {
  const std::vector<double>& sum = sum_exactly(num_records, kept, weights, scale);
  return std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
}

void Convolution::add_weighted_sum(size_t num_records, const float*, const float*,
                                   const float* kept, const double* weights, double* sum) const {
  for (size_t i = 0; i < num_records; ++i) {
    if (weights[i] == 0) continue;
    const float* gradient = kept + i * num_parameters();
    for (size_t j = 0; j < num_parameters(); ++j)
      sum[j] += weights[i] * static_cast<double>(gradient[j]);
  }
}

void Convolution::forward_tangent(const LayerPoint& at, const float* direction,
                                  const float* input_tangent, float* output_tangent) const {
  forward(direction, at.num_records, at.inputs, output_tangent);
  correlation_.add_outputs(at.parameters, at.num_records, input_tangent, output_tangent);
}

void Convolution::backward_tangent(const LayerPoint& at, const float* direction, const float*,
                                   const float* output_gradient, const float* gradient_tangent,
                                   float* input_gradient_tangent) const {
  backward(at, gradient_tangent, input_gradient_tangent);
  correlation_.input_gradient(direction, at.num_records, output_gradient, Correlation::Write::kAdd,
                              input_gradient_tangent);
}

void Convolution::add_sum_tangent(const LayerPoint& at, const float* input_tangent,
                                  const float* output_gradient, const float* gradient_tangent,
                                  double* sum) const {
  thread_local std::vector<float> gradients;
  gradients.resize(at.num_records * num_parameters());
  const auto add = [&](size_t size) {
    for (size_t i = 0; i < at.num_records; ++i) {
      for (size_t j = 0; j < size; ++j) sum[j] += gradients[i * num_parameters() + j];
    }
  };
  correlation_.weight_gradients(at.num_records, at.inputs, gradient_tangent, num_parameters(),
                                gradients.data());
  write_bias_gradients(at.num_records, gradient_tangent, gradients.data());
  add(num_parameters());
  correlation_.weight_gradients(at.num_records, input_tangent, output_gradient, num_parameters(),
                                gradients.data());
  add(num_parameters() - output().channels);
}

}  // namespace equinoise
