// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/softmax.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

SoftmaxModel::SoftmaxModel(std::vector<std::string> feature_names, std::vector<std::string> classes)
    : GeneralisedLinearModel(std::move(feature_names), make_softmax_loss(classes.size())),
      classes_(std::move(classes)) {
  if (classes_.size() < 2) {
    throw Error(ErrorKind::kInput, "models.softmax",
                fmt::format("softmax regression needs a target with at least two values, the "
                            "schema lists {}",
                            classes_.size()));
  }
}

std::vector<std::string> SoftmaxModel::parameter_names() const {
  std::vector<std::string> names;
  names.reserve(num_parameters());
  for (const std::string& row : GeneralisedLinearModel::parameter_names()) {
    for (const std::string& name : classes_) names.push_back(fmt::format("{} -> {}", row, name));
  }
  return names;
}

}  // namespace equinoise
