// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// Whether a text is well-formed UTF-8 (Unicode 15, table 3-7).
bool is_utf8(std::string_view text);

/// Whether all bytes of a text are ASCII, which nearly all encodings write alike.
bool is_ascii(std::string_view text);

}  // namespace equinoise
