// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// A linear classifier of two classes by one score and the hinge loss. Its gradient is a
/// subgradient at the kink, and its Hessian is 0 elsewhere. [CortesVapnik1995]
class HingeModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput unless `classes` has exactly two entries.
  HingeModel(std::vector<std::string> feature_names, const std::vector<std::string>& classes);

  std::string name() const override { return "hinge"; }
};

}  // namespace equinoise
