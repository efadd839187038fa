// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace equinoise {

/// SHA-256 of `text` in lower-case hexadecimal.
std::string sha256_hex(std::string_view text);

}  // namespace equinoise
