// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equinoise/models/network/layer.h"
#include "equinoise/models/network_options.h"

namespace equinoise {

/// Layers one after another.
using Layers = std::vector<std::unique_ptr<Layer>>;

/// Adds the activation of that name. Errors: kUsage for an unknown one.
void add_activation(ActivationKind kind, size_t size, Layers& layers);

/// Adds fully connected layers from `size` values by way of the hidden ones to `num_scores`.
void add_dense_layers(size_t size, const NetworkOptions& options, size_t num_scores,
                      Layers& layers);

/// Errors: kUsage for a size of `sizes` outside 1 .. 65,536, naming `option`.
void check_layer_sizes(const std::string& option, const std::vector<size_t>& sizes);

}  // namespace equinoise
