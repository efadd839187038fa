// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "equinoise/models/network/aligned_vector.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

struct GeneratorShape {
  size_t num_components = 0;    ///< rows of noise, at least 2
  size_t num_inputs = 0;        ///< of a row of noise
  size_t num_hidden = 0;        ///< units of each of the two blocks
  std::vector<size_t> outputs;  ///< sizes of the distributions of a component
};

/// A network that turns fixed rows of Gaussian noise into as many products of distributions.
///
/// It has two residual blocks: a linear map, normalised over the rows (batch normalisation as in
/// training), a rectifier; a block's output is appended to its input. Then a linear map and one
/// softmax for each distribution. In single precision. It sees no record, and it must be trained on
/// released figures only. Source: [LiuVietriWu2021, section 5]. Deviation: linear maps before a
/// normalisation have no bias, because the normalisation would remove it.
///
/// Results do not depend on `threads`.
class Generator {
 public:
  /// Noise and first weights come from `source`; weights uniform within 1 / sqrt(inputs).
  Generator(GeneratorShape shape, RandomSource& source);

  const GeneratorShape& shape() const { return shape_; }
  size_t num_outputs() const { return num_outputs_; }

  std::span<float> parameters() { return parameters_; }
  /// The gradients at the parameters, set by backward.
  std::span<const float> gradients() const { return gradients_; }

  /// (num_components, num_outputs): each distribution of each component, row-major.
  const float* forward(int threads);

  /// Sets gradients() for a loss. `derivatives` are those of the loss with respect to the last
  /// result of forward, of the same shape.
  void backward(const float* derivatives, int threads);

 private:
  /// One of the two blocks: where its inputs, outputs and parameters are.
  struct Block {
    size_t num_inputs;
    size_t weights;                        // (num_inputs, num_hidden), into parameters_
    size_t scale;                          // (num_hidden)
    size_t shift;                          // (num_hidden)
    AlignedVector<float> normalised;       // (num_components, num_hidden)
    AlignedVector<float> inverse_stddevs;  // (num_hidden)
  };

  void forward_block(Block& block, int threads);
  void backward_block(Block& block, int threads);
  /// gradients_ at `weights` = inputs^T derivatives, for the first num_inputs columns of values_.
  void take_weight_gradient(size_t num_inputs, size_t weights, size_t width,
                            const float* derivatives, int threads);

  GeneratorShape shape_;
  size_t num_outputs_ = 0;
  size_t width_ = 0;  // of values_: noise, then the output of each block
  Block blocks_[2] = {};
  size_t last_weights_ = 0;  // (width_, num_outputs)
  size_t last_bias_ = 0;     // (num_outputs)
  AlignedVector<float> parameters_;
  AlignedVector<float> gradients_;
  AlignedVector<float> values_;              // (num_components, width_)
  AlignedVector<float> value_derivatives_;   // the same
  AlignedVector<float> outputs_;             // (num_components, num_outputs)
  AlignedVector<float> logit_derivatives_;   // the same
  AlignedVector<float> hidden_derivatives_;  // (num_components, num_hidden)
};

}  // namespace equinoise
