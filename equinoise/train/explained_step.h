// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/train/registry.h"

namespace equinoise {

/// Warnings about the differences between the explained step and the steps that this training
/// takes. `option` is the flag that asked for it: "--explain".
inline std::vector<std::string> explanation_warnings(std::string_view option,
                                                     std::string_view method,
                                                     std::string_view optimizer) {
  std::vector<std::string> warnings;
  if (optimizer != "sgd") {
    warnings.push_back(fmt::format(
        "{} explains a plain gradient step, but the model's optimizer is {}", option, optimizer));
  }
  const std::string_view unexplained = find_training_method(method).unexplained;
  if (!unexplained.empty()) {
    warnings.push_back(
        fmt::format("{} explains {}", option, fmt::format(fmt::runtime(unexplained), method)));
  }
  return warnings;
}

}  // namespace equinoise
