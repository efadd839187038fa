// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace equinoise {

/// What a user chooses about a network; public.
struct NetworkOptions {
  std::vector<size_t> hidden = {};    ///< sizes of the fully connected hidden layers
  std::string activation = "tanh";    ///< or "relu"; after each layer but the last
  std::vector<size_t> channels = {};  ///< of the convolutions, which come first
  size_t kernel_size = 3;             ///< of each convolution
  std::string pooling = "none";       ///< or "average", "max": of 2 x 2 after each convolution

  friend bool operator==(const NetworkOptions&, const NetworkOptions&) = default;
};

}  // namespace equinoise
