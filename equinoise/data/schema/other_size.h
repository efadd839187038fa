// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// The remedy for a table of another size than the schema's, without revealing its size.
inline constexpr std::string_view kOtherSize =
    "use the table that the schema describes; write another number only if it is public, else draw "
    "a public round number of them at random and write that";

}  // namespace equinoise
