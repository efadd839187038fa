// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace equinoise::cli {

void flush_output() {
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "standard output");
}

}  // namespace equinoise::cli
