#pragma once

#include <optional>
#include <string_view>

namespace equinoise {

/// The number that a whole cell spells; nothing for NaN and for anything else. No blanks, no plus.
/// Infinite ones are numbers: "inf", "-Infinity", and what is too large for a double. What is too
/// small for one becomes the nearest double, at last 0.
std::optional<double> parse_number(std::string_view cell);

}  // namespace equinoise
