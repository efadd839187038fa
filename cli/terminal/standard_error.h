// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise::cli {

/// Writes to standard error. Errors are ignored: a closed pipe or a full disk must not cost a run
/// or an exit code.
void tell(const std::string& text) noexcept;

}  // namespace equinoise::cli
