// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Logistic regression: two classes, one logit, the logistic loss.
class LogisticModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput unless `classes` has exactly two entries.
  LogisticModel(std::vector<std::string> feature_names, const std::vector<std::string>& classes);

  std::string name() const override { return "logistic"; }
};

}  // namespace equinoise
