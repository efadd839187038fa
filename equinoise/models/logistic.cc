// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/logistic.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

LogisticModel::LogisticModel(std::vector<std::string> feature_names,
                             const std::vector<std::string>& classes)
    : GeneralisedLinearModel(std::move(feature_names), make_logistic_loss()) {
  if (classes.size() != 2) {
    throw Error(
        ErrorKind::kInput, "models.logistic",
        fmt::format("logistic regression needs a target with two values, the schema lists {}",
                    classes.size()));
  }
}

}  // namespace equinoise
