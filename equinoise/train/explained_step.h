// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// Warnings about the differences between the explained step and the steps that this training
/// takes. `option` is the flag that asked for it: "--explain".
std::vector<std::string> explanation_warnings(std::string_view option, std::string_view method,
                                              std::string_view optimizer);

}  // namespace equinoise
