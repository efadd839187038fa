// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/models/model.h"

namespace equinoise {

/// The model of an experiment. Errors: kUsage for an unknown name.
///
/// "mlp": two hidden layers of 256 with tanh. "logistic of the published code": one layer, whose
/// outputs pass a sigmoid and then the softmax of the loss, so that no loss is below log(1 +
/// exp(-1)).
std::unique_ptr<Model> make_reproduction_model(std::string_view name,
                                               const std::vector<std::string>& feature_names,
                                               size_t num_classes);

}  // namespace equinoise
