// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise::cli {

/// Writes to standard error, which may be gone (a closed pipe, a full disk): no reason to lose a
/// run or an exit code.
void tell(const std::string& text) noexcept;

}  // namespace equinoise::cli
