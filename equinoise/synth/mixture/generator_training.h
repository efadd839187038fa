// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/synth/mixture/generator.h"

namespace equinoise {

/// The length of a generator's training.
struct TrainingEffort {
  int max_steps = 100;
  double learning_rate = 0.005;
  bool anneals = false;  ///< the rate falls to 0 along a half cosine
  double enough = 0;     ///< ends when the loss is no larger
  /// Ends after this many steps without a decrease of the least loss by a two-hundredth.
  int patience = std::numeric_limits<int>::max();
};

/// Trains a generator by Adam [KingmaBa2015], whose moments it keeps from one training to the next.
/// Post-processing of the figures in the losses.
class GeneratorTrainer {
 public:
  /// A loss of the generator's probabilities. It adds its derivatives, of the same shape.
  using Loss = std::function<double(const float* probabilities, float* derivatives)>;

  /// Keeps a reference to `progress`.
  GeneratorTrainer(Generator generator, int threads, const TaskProgress& progress);

  /// (num_components, num_outputs), of the current generator.
  std::span<const float> probabilities() const;
  const Generator& generator() const { return generator_; }

  /// Errors: kRuntime if interrupted.
  void train(const Loss& loss, const TrainingEffort& effort);

 private:
  Generator generator_;
  int threads_;
  const TaskProgress& progress_;
  const float* probabilities_;
  AlignedVector<float> derivatives_;
  std::vector<float> moments_;
  int64_t num_steps_ = 0;
};

/// `strength` times the sum over distributions of the mean divergence of a component's distribution
/// from the mixture's: the information, in nats, that the component has about each block by itself.
/// It bounds the dependence between blocks. Adds its derivatives.
double add_information(const GeneratorShape& shape, double strength, int threads,
                       const float* probabilities, float* derivatives);

}  // namespace equinoise
