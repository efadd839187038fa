// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/generator_training.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "equinoise/base/adam.h"
#include "equinoise/base/parallel.h"
#include "equinoise/synth/synth_progress.h"

namespace equinoise {

namespace {

/// Components of a piece of work of one thread.
constexpr size_t kPiece = 64;
/// Below it a probability counts as this much.
constexpr float kMin = 1e-12F;
constexpr double kProgress = 1 - 0.005;

}  // namespace

GeneratorTrainer::GeneratorTrainer(Generator generator, int threads, const TaskProgress& progress)
    : generator_(std::move(generator)),
      threads_(threads),
      progress_(progress),
      probabilities_(generator_.forward(threads)),
      derivatives_(generator_.shape().num_components * generator_.num_outputs()),
      moments_(2 * generator_.parameters().size(), 0) {}

std::span<const float> GeneratorTrainer::probabilities() const {
  return {probabilities_, derivatives_.size()};
}

void GeneratorTrainer::train(const Loss& loss, const TrainingEffort& effort) {
  double least = std::numeric_limits<double>::infinity();
  int num_in_vain = 0;
  for (int step = 0; step < effort.max_steps; ++step) {
    check_interrupted(progress_);
    std::ranges::fill(derivatives_, 0.0F);
    const double value = loss(probabilities_, derivatives_.data());
    num_in_vain = value < kProgress * least ? 0 : num_in_vain + 1;
    if (num_in_vain == 0) least = value;
    if (value <= effort.enough || num_in_vain >= effort.patience) return;
    generator_.backward(derivatives_.data(), threads_);
    const double angle = std::numbers::pi * step / effort.max_steps;
    const double rate = effort.learning_rate * (effort.anneals ? (1 + std::cos(angle)) / 2 : 1);
    const std::span<const float> gradients = generator_.gradients();
    take_adam_step<float>(
        {}, num_steps_++, rate, [&](size_t j) { return gradients[j]; }, generator_.parameters(),
        moments_);
    probabilities_ = generator_.forward(threads_);
  }
}

double add_information(const GeneratorShape& shape, double strength, int threads,
                       const float* probabilities, float* derivatives) {
  const size_t rows = shape.num_components;
  const size_t width = std::accumulate(shape.outputs.begin(), shape.outputs.end(), size_t{0});
  const double share = 1 / static_cast<double>(rows);
  std::vector<double> means(width, 0);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t j = 0; j < width; ++j) means[j] += share * probabilities[row * width + j];
  }
  std::vector<float> logs;
  logs.reserve(means.size());
  for (const double mean : means)
    logs.push_back(std::log(std::max(static_cast<float>(mean), kMin)));
  const size_t num_pieces = (rows + kPiece - 1) / kPiece;
  std::vector<double> sums(num_pieces, 0);
  const auto factor = static_cast<float>(strength * share);
  parallel_for(num_pieces, threads, [&](size_t piece) {
    for (size_t row = piece * kPiece; row < std::min(rows, (piece + 1) * kPiece); ++row) {
      for (size_t j = 0; j < width; ++j) {
        const float probability = probabilities[row * width + j];
        const float ratio = std::log(std::max(probability, kMin)) - logs[j];
        sums[piece] += probability * ratio;
        // The derivatives through the mean add up to 0.
        derivatives[row * width + j] += factor * ratio;
      }
    }
  });
  return strength * share * std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace equinoise
