// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/cnn.h"

#include "equinoise/base/error.h"
#include "equinoise/models/network/builder.h"
#include "equinoise/models/network/convolution.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/pooling.h"

namespace equinoise {

namespace {

constexpr size_t kPoolSize = 2;
constexpr size_t kMaxWeights = size_t{1} << 24;  // in one convolution

constexpr Refusal refuse{ErrorKind::kUsage, "models.cnn"};

/// Errors: kUsage if pieces of `size` x `size` do not fit into the map.
void require_fit(const MapShape& map, size_t size, const char* option) {
  if (size <= map.height && size <= map.width) return;
  refuse("{} of {} x {} does not fit maps of {} x {}; use fewer or smaller layers", option, size,
         size, map.height, map.width);
}

/// Adds pooling, if wanted, and returns the shape after it.
MapShape add_pooling(PoolingKind kind, const MapShape& map, Layers& layers) {
  if (kind == PoolingKind::kNone) return map;
  require_fit(map, kPoolSize, "pooling");
  if (kind == PoolingKind::kMax) {
    layers.push_back(std::make_unique<MaxPooling>(map, kPoolSize));
  } else {
    layers.push_back(std::make_unique<AveragePooling>(map, kPoolSize));
  }
  return {map.channels, map.height / kPoolSize, map.width / kPoolSize};
}

}  // namespace

std::unique_ptr<Model> make_cnn(std::string name, const ImageShape& image,
                                std::unique_ptr<Loss> loss, const NetworkOptions& options) {
  if (options.channels.empty()) refuse("channels must name at least one convolution, e.g. 32,16");
  check_layer_sizes("channels", options.channels);
  check_layer_sizes("hidden", options.hidden);
  if (options.kernel_size < 1) refuse("kernel_size must be at least 1, got 0");
  Layers layers;
  MapShape map = {static_cast<size_t>(image.channels), static_cast<size_t>(image.height),
                  static_cast<size_t>(image.width)};
  for (const size_t channels : options.channels) {
    require_fit(map, options.kernel_size, "kernel_size");
    const size_t num_weights = map.channels * options.kernel_size * options.kernel_size * channels;
    if (num_weights > kMaxWeights) {
      refuse(
          "a convolution of {} to {} channels with kernels of {} x {} has {} weights, "
          "more than {}",
          map.channels, channels, options.kernel_size, options.kernel_size, num_weights,
          kMaxWeights);
    }
    auto convolution = std::make_unique<Convolution>(map, channels, options.kernel_size);
    map = convolution->output();
    layers.push_back(std::move(convolution));
    add_activation(options.activation, map.num_values(), layers);
    map = add_pooling(options.pooling, map, layers);
  }
  add_dense_layers(map.num_values(), options, loss->num_scores(), layers);
  return std::make_unique<Network>(std::move(name),
                                   std::make_unique<TableValues>(image.num_values()),
                                   std::move(layers), std::move(loss));
}

NetworkOptions lenet_options(const NetworkOptions& options) {
  return {{120, 84}, options.activation, {6, 16}, 5, PoolingKind::kAverage, options.init_seed};
}

}  // namespace equinoise
