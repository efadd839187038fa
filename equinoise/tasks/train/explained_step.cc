// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/explained_step.h"

#include <fmt/format.h>

#include "equinoise/train/registry.h"

namespace equinoise {

std::vector<std::string> explanation_warnings(std::string_view option, std::string_view method,
                                              std::string_view optimizer) {
  std::vector<std::string> warnings;
  if (optimizer != "sgd") {
    warnings.push_back(fmt::format("{} looks at a plain gradient step; the model's optimizer is {}",
                                   option, optimizer));
  }
  if (method == "fairlens") {
    warnings.push_back(
        fmt::format("{} looks at gradients without the penalties of fairlens", option));
  }
  if (find_training_method(method).make()->uses_constraints()) {
    warnings.push_back(
        fmt::format("{} looks at gradients of the loss alone; steps of {} obey constraints, too",
                    option, method));
  }
  if (method == "magnitude_error" || method == "direction_error") {
    warnings.push_back(fmt::format(
        "{} looks at both errors of clipping; a step of {} has one of them", option, method));
  }
  return warnings;
}

}  // namespace equinoise
