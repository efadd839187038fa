// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/generator.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/base/parallel.h"
#include "equinoise/synth/graph/exponential.h"

namespace equinoise {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// Eigen sums in an order that depends on where a table begins in a register: all begin at a cache
// line.
using Stride = Eigen::OuterStride<>;
using View = Eigen::Map<Matrix, 0, Stride>;
using ConstView = Eigen::Map<const Matrix, 0, Stride>;

constexpr float kVarianceFloor = 1e-5F;
/// Rows of a piece of work of one thread.
constexpr size_t kPiece = 128;

Eigen::Index index(size_t value) { return static_cast<Eigen::Index>(value); }

View view(float* values, size_t rows, size_t columns, size_t pitch) {
  return {values, index(rows), index(columns), Stride(index(pitch))};
}
ConstView view(const float* values, size_t rows, size_t columns, size_t pitch) {
  return {values, index(rows), index(columns), Stride(index(pitch))};
}

/// Calls body(first, count) for pieces of 0 .. count - 1 that do not depend on `threads`.
template <typename Body>
void for_each_piece(size_t count, int threads, const Body& body) {
  parallel_for((count + kPiece - 1) / kPiece, threads, [&](size_t piece) {
    const size_t first = piece * kPiece;
    body(first, std::min(kPiece, count - first));
  });
}

/// Two independent standard Gaussian numbers by the method of Box and Muller, for noise that
/// protects nothing.
std::pair<double, double> gaussian_pair(RandomSource& source) {
  const double first = (static_cast<double>(source.next() >> 11) + 0.5) * 0x1p-53;
  const double second = static_cast<double>(source.next() >> 11) * 0x1p-53;
  const double radius = std::sqrt(-2 * std::log(first));
  return {radius * std::cos(2 * M_PI * second), radius * std::sin(2 * M_PI * second)};
}

}  // namespace

Generator::Generator(GeneratorShape shape, RandomSource& source)
    : shape_(std::move(shape)),
      num_outputs_(std::accumulate(shape_.outputs.begin(), shape_.outputs.end(), size_t{0})),
      width_(shape_.num_inputs + 2 * shape_.num_hidden) {
  const size_t rows = shape_.num_components;
  const size_t hidden = shape_.num_hidden;
  size_t size = 0;
  const auto place = [&size](size_t count) { return std::exchange(size, size + count); };
  for (size_t b = 0; b < 2; ++b) {
    Block& block = blocks_[b];
    block.num_inputs = shape_.num_inputs + b * hidden;
    block.weights = place(block.num_inputs * hidden);
    block.scale = place(hidden);
    block.shift = place(hidden);
    block.normalised.resize(rows * hidden);
    block.inverse_stddevs.resize(hidden);
  }
  last_weights_ = place(width_ * num_outputs_);
  last_bias_ = place(num_outputs_);
  parameters_.assign(size, 0);
  gradients_.assign(size, 0);
  values_.resize(rows * width_);
  value_derivatives_.resize(rows * width_);
  outputs_.resize(rows * num_outputs_);
  logit_derivatives_.resize(rows * num_outputs_);
  hidden_derivatives_.resize(rows * hidden);

  for (size_t row = 0; row < rows; ++row) {
    float* noise = values_.data() + row * width_;
    for (size_t j = 0; j < shape_.num_inputs; j += 2) {
      const auto [first, second] = gaussian_pair(source);
      noise[j] = static_cast<float>(first);
      if (j + 1 < shape_.num_inputs) noise[j + 1] = static_cast<float>(second);
    }
  }
  const auto draw_weights = [&](size_t begin, size_t count, size_t num_inputs) {
    const double bound = 1 / std::sqrt(static_cast<double>(num_inputs));
    for (size_t j = begin; j < begin + count; ++j) {
      const double uniform = static_cast<double>(source.next() >> 11) * 0x1p-53;
      parameters_[j] = static_cast<float>(bound * (2 * uniform - 1));
    }
  };
  for (const Block& block : blocks_) {
    draw_weights(block.weights, block.num_inputs * hidden, block.num_inputs);
    std::fill_n(parameters_.begin() + static_cast<std::ptrdiff_t>(block.scale), hidden, 1.0F);
  }
  draw_weights(last_weights_, width_ * num_outputs_, width_);
  draw_weights(last_bias_, num_outputs_, width_);
}

void Generator::forward_block(Block& block, int threads) {
  const size_t rows = shape_.num_components;
  const size_t hidden = shape_.num_hidden;
  const ConstView weights =
      view(std::as_const(parameters_).data() + block.weights, block.num_inputs, hidden, hidden);
  float* normalised = block.normalised.data();
  for_each_piece(rows, threads, [&](size_t first, size_t count) {
    view(normalised + first * hidden, count, hidden, hidden).noalias() =
        view(std::as_const(values_).data() + first * width_, count, block.num_inputs, width_) *
        weights;
  });
  // Pieces of columns, so that each sum over the rows has one order.
  for_each_piece(hidden, threads, [&](size_t first, size_t count) {
    auto table = view(normalised + first, rows, count, hidden);
    const Eigen::RowVectorXf means = table.colwise().mean();
    table.rowwise() -= means;
    const Eigen::RowVectorXf variances = table.colwise().squaredNorm() / static_cast<float>(rows);
    Eigen::Map<Eigen::RowVectorXf> inverse(block.inverse_stddevs.data() + first, index(count));
    inverse = (variances.array() + kVarianceFloor).rsqrt();
    table.array().rowwise() *= inverse.array();
    const Eigen::Map<const Eigen::RowVectorXf> scale(parameters_.data() + block.scale + first,
                                                     index(count));
    const Eigen::Map<const Eigen::RowVectorXf> shift(parameters_.data() + block.shift + first,
                                                     index(count));
    view(values_.data() + block.num_inputs + first, rows, count, width_) =
        ((table.array().rowwise() * scale.array()).rowwise() + shift.array()).cwiseMax(0.0F);
  });
}

const float* Generator::forward(int threads) {
  for (Block& block : blocks_) forward_block(block, threads);
  const ConstView weights =
      view(std::as_const(parameters_).data() + last_weights_, width_, num_outputs_, num_outputs_);
  const Eigen::Map<const Eigen::RowVectorXf> bias(parameters_.data() + last_bias_,
                                                  index(num_outputs_));
  for_each_piece(shape_.num_components, threads, [&](size_t first, size_t count) {
    float* out = outputs_.data() + first * num_outputs_;
    View table = view(out, count, num_outputs_, num_outputs_);
    table.noalias() =
        view(std::as_const(values_).data() + first * width_, count, width_, width_) * weights;
    table.rowwise() += bias;
    for (size_t row = 0; row < count; ++row) {
      float* softmax = out + row * num_outputs_;
      for (const size_t size : shape_.outputs) {
        const float largest = *std::max_element(softmax, softmax + size);
        float sum = 0;
        for (size_t j = 0; j < size; ++j) {
          softmax[j] = static_cast<float>(vector_exp(softmax[j] - largest));
          sum += softmax[j];
        }
        for (size_t j = 0; j < size; ++j) softmax[j] /= sum;
        softmax += size;
      }
    }
  });
  return outputs_.data();
}

void Generator::take_weight_gradient(size_t num_inputs, size_t weights, size_t width,
                                     const float* derivatives, int threads) {
  const size_t rows = shape_.num_components;
  for_each_piece(num_inputs, threads, [&](size_t first, size_t count) {
    view(gradients_.data() + weights + first * width, count, width, width).noalias() =
        view(std::as_const(values_).data() + first, rows, count, width_).transpose() *
        view(derivatives, rows, width, width);
  });
}

void Generator::backward_block(Block& block, int threads) {
  const size_t rows = shape_.num_components;
  const size_t hidden = shape_.num_hidden;
  for_each_piece(hidden, threads, [&](size_t first, size_t count) {
    auto given = view(hidden_derivatives_.data() + first, rows, count, hidden);
    const auto normalised =
        view(std::as_const(block.normalised).data() + first, rows, count, hidden);
    const auto passed =
        view(std::as_const(values_).data() + block.num_inputs + first, rows, count, width_);
    given = (passed.array() > 0.0F)
                .select(view(std::as_const(value_derivatives_).data() + block.num_inputs + first,
                             rows, count, width_),
                        0.0F);
    Eigen::Map<Eigen::RowVectorXf> shift(gradients_.data() + block.shift + first, index(count));
    Eigen::Map<Eigen::RowVectorXf> scale(gradients_.data() + block.scale + first, index(count));
    shift = given.colwise().sum();
    scale = (given.array() * normalised.array()).colwise().sum();
    const Eigen::Map<const Eigen::RowVectorXf> factor(parameters_.data() + block.scale + first,
                                                      index(count));
    const Eigen::Map<const Eigen::RowVectorXf> inverse(block.inverse_stddevs.data() + first,
                                                       index(count));
    const float share = 1.0F / static_cast<float>(rows);
    given -= (normalised.array().rowwise() * (scale * share).array()).matrix();
    given.rowwise() -= shift * share;
    given.array().rowwise() *= factor.array() * inverse.array();
  });
  take_weight_gradient(block.num_inputs, block.weights, hidden, hidden_derivatives_.data(),
                       threads);
  // The noise needs no derivatives.
  const size_t before = block.num_inputs - shape_.num_inputs;
  if (before == 0) return;
  const ConstView weights =
      view(std::as_const(parameters_).data() + block.weights + shape_.num_inputs * hidden, before,
           hidden, hidden);
  for_each_piece(rows, threads, [&](size_t first, size_t count) {
    view(value_derivatives_.data() + first * width_ + shape_.num_inputs, count, before, width_)
        .noalias() +=
        view(std::as_const(hidden_derivatives_).data() + first * hidden, count, hidden, hidden) *
        weights.transpose();
  });
}

void Generator::backward(const float* derivatives, int threads) {
  const size_t rows = shape_.num_components;
  const size_t blocks_width = 2 * shape_.num_hidden;
  const ConstView weights =
      view(std::as_const(parameters_).data() + last_weights_ + shape_.num_inputs * num_outputs_,
           blocks_width, num_outputs_, num_outputs_);
  for_each_piece(rows, threads, [&](size_t first, size_t count) {
    for (size_t row = first; row < first + count; ++row) {
      size_t begin = row * num_outputs_;
      for (const size_t size : shape_.outputs) {
        float mean = 0;
        for (size_t j = begin; j < begin + size; ++j) mean += derivatives[j] * outputs_[j];
        for (size_t j = begin; j < begin + size; ++j)
          logit_derivatives_[j] = outputs_[j] * (derivatives[j] - mean);
        begin += size;
      }
    }
    view(value_derivatives_.data() + first * width_ + shape_.num_inputs, count, blocks_width,
         width_)
        .noalias() = view(std::as_const(logit_derivatives_).data() + first * num_outputs_, count,
                          num_outputs_, num_outputs_) *
                     weights.transpose();
  });
  take_weight_gradient(width_, last_weights_, num_outputs_, logit_derivatives_.data(), threads);
  Eigen::Map<Eigen::RowVectorXf>(gradients_.data() + last_bias_, index(num_outputs_)) =
      view(std::as_const(logit_derivatives_).data(), rows, num_outputs_, num_outputs_)
          .colwise()
          .sum();
  backward_block(blocks_[1], threads);
  backward_block(blocks_[0], threads);
}

}  // namespace equinoise
