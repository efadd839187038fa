// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Multinomial logistic regression: K >= 2 classes, a score for each, the softmax loss.
class SoftmaxModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput for fewer than two classes.
  SoftmaxModel(std::vector<std::string> feature_names, std::vector<std::string> classes);

  std::string name() const override { return "softmax"; }
  /// "age -> CLASS", the class varies fastest.
  std::vector<std::string> parameter_names() const override;

 private:
  std::vector<std::string> classes_;
};

}  // namespace equinoise
