// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace equinoise {

/// The truth value that a text spells, in capital or small letters: true, t, yes, y, on, 1; false,
/// f, no, n, off, 0.
std::optional<bool> parse_truth(std::string_view text);

/// Whether two texts are true and false in the same spelling, in either order: yes and No, 0 and 1.
/// T and N are not.
bool are_truth_pair(std::string_view a, std::string_view b);

/// Whether the texts are the words true and false, which other programs also read as truth values.
bool are_true_and_false(std::string_view a, std::string_view b);

}  // namespace equinoise
