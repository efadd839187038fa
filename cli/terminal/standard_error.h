// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise::cli {

/// Writes to standard error. It may be gone (a closed pipe, a full disk), which must not cost a run
/// or an exit code.
void tell(const std::string& text) noexcept;

}  // namespace equinoise::cli
