// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/builder.h"

#include "equinoise/base/error.h"
#include "equinoise/models/network/activation.h"
#include "equinoise/models/network/dense.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "models.network";

}  // namespace

void check_layer_sizes(const std::string& option, const std::vector<size_t>& sizes) {
  for (size_t size : sizes) {
    if (size < 1 || size > kLargestLayer) {
      throw Error(ErrorKind::kUsage, kWhere, "{} must be sizes from 1 to {}, got {}", option,
                  kLargestLayer, size);
    }
  }
}

void add_activation(ActivationKind kind, size_t size, Layers& layers) {
  switch (kind) {
    case ActivationKind::kTanh:
      layers.push_back(std::make_unique<Tanh>(size));
      break;
    case ActivationKind::kRelu:
      layers.push_back(std::make_unique<Relu>(size));
      break;
  }
}

void add_dense_layers(size_t size, const NetworkOptions& options, size_t num_scores,
                      Layers& layers) {
  for (const size_t hidden : options.hidden) {
    layers.push_back(std::make_unique<Dense>(size, hidden));
    add_activation(options.activation, hidden, layers);
    size = hidden;
  }
  layers.push_back(std::make_unique<Dense>(size, num_scores));
}

}  // namespace equinoise
