// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Linear regression: a number, one score, half the squared error.
class LinearModel final : public GeneralisedLinearModel {
 public:
  explicit LinearModel(std::vector<std::string> feature_names)
      : GeneralisedLinearModel(std::move(feature_names), make_squared_loss()) {}

  std::string name() const override { return "linear"; }
};

}  // namespace equinoise
