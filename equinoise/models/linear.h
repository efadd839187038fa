// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Linear regression: a number, one score, half the squared error. Training starts with the public
/// guess `start` as the prediction for every record.
class LinearModel final : public GeneralisedLinearModel {
 public:
  explicit LinearModel(std::vector<std::string> feature_names, double start = 0)
      : GeneralisedLinearModel(std::move(feature_names), make_squared_loss()), start_(start) {}

  std::string name() const override { return "linear"; }
  std::vector<double> initial_parameters(uint64_t seed) const override {
    std::vector<double> parameters = Model::initial_parameters(seed);
    parameters.back() = start_;
    return parameters;
  }

 private:
  double start_;
};

}  // namespace equinoise
