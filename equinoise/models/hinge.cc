// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/hinge.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

HingeModel::HingeModel(std::vector<std::string> feature_names,
                       const std::vector<std::string>& classes)
    : GeneralisedLinearModel(std::move(feature_names), make_hinge_loss()) {
  if (classes.size() != 2) {
    throw Error(ErrorKind::kInput, "models.hinge",
                fmt::format("the hinge loss needs a target with two values, the schema lists {}; "
                            "use softmax",
                            classes.size()));
  }
}

}  // namespace equinoise
