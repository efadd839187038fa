// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/standard_error.h"

#include <cstdio>

namespace equinoise::cli {

void tell(const std::string& text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace equinoise::cli
