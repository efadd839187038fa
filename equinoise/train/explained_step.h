// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// In what the step that is explained differs from those that such a training takes, as warnings;
/// `option` is what asked for it: "--explain".
std::vector<std::string> explanation_warnings(std::string_view option, std::string_view method,
                                              std::string_view optimizer);

}  // namespace equinoise
