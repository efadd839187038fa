// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/method_option.h"

namespace equinoise {

/// The upper limit of the sizes of layers, channels and kernels.
inline constexpr size_t kLargestLayer = 65'536;

/// The activation after each layer of a network except the last.
enum class ActivationKind { kTanh, kRelu };
inline constexpr EnumWords<ActivationKind, 2> kActivations = {
    {{ActivationKind::kTanh, "tanh"}, {ActivationKind::kRelu, "relu"}}};

/// The pooling after each convolution and its activation: 2 x 2 values become one, or all stay.
enum class PoolingKind { kNone, kAverage, kMax };
inline constexpr EnumWords<PoolingKind, 3> kPoolings = {
    {{PoolingKind::kNone, "none"}, {PoolingKind::kAverage, "average"}, {PoolingKind::kMax, "max"}}};

/// A user's choices for a network; public.
struct NetworkOptions {
  std::vector<size_t> hidden = {};  ///< sizes of the fully connected hidden layers
  ActivationKind activation = ActivationKind::kTanh;
  std::vector<size_t> channels = {};  ///< of the convolutions, which come first
  size_t kernel_size = 3;             ///< of each convolution
  PoolingKind pooling = PoolingKind::kNone;
  uint64_t init_seed = 0;  ///< of the initial parameters; public

  friend bool operator==(const NetworkOptions&, const NetworkOptions&) = default;
};

/// An option of networks.
using NetworkOption = MethodOption<NetworkOptions>;

/// All options of networks. A row of models/registry.h lists those that a kind of model follows.
std::span<const NetworkOption> network_options();

}  // namespace equinoise
