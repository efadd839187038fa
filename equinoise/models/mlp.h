// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equinoise/models/losses/loss.h"
#include "equinoise/models/model.h"
#include "equinoise/models/network_options.h"

namespace equinoise {

/// A multilayer perceptron: fully connected layers with an activation after each hidden one; the
/// last one gives the scores of `loss`. Errors: kUsage, naming the option, for no hidden layer, a
/// size outside 1 .. 65,536 or an unknown activation.
std::unique_ptr<Model> make_mlp(std::vector<std::string> feature_names, std::unique_ptr<Loss> loss,
                                const NetworkOptions& options);

}  // namespace equinoise
