// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/explained_step.h"

#include <fmt/format.h>

#include "equinoise/train/registry.h"

namespace equinoise {

std::vector<std::string> explanation_warnings(std::string_view option, std::string_view method,
                                              std::string_view optimizer) {
  std::vector<std::string> warnings;
  if (optimizer != "sgd") {
    warnings.push_back(fmt::format(
        "{} explains a plain gradient step, but the model's optimizer is {}", option, optimizer));
  }
  if (method == "fairlens" || method == "dp_fermi") {
    warnings.push_back(
        fmt::format("{} explains gradients of the loss alone, but the steps of {} also follow a "
                    "penalty",
                    option, method));
  }
  if (method == "mgr_w" || method == "mgr" || method == "ags") {
    warnings.push_back(
        fmt::format("{} explains steps in which all records count alike, but those of {} follow "
                    "groups by their weights",
                    option, method));
  }
  if (find_training_method(method).make()->uses_constraints()) {
    warnings.push_back(fmt::format(
        "{} explains gradients of the loss alone, but the steps of {} also follow constraints",
        option, method));
  }
  if (method == "magnitude_error" || method == "direction_error") {
    warnings.push_back(
        fmt::format("{} explains both errors of clipping, but a step of {} has only one of them",
                    option, method));
  }
  return warnings;
}

}  // namespace equinoise
