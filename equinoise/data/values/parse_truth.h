// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace equinoise {

/// The words of truth values in small letters: those of true, then those of false in the same
/// order.
inline constexpr std::array<std::string_view, 12> kTruthWords = {
    "true", "t", "yes", "y", "on", "1", "false", "f", "no", "n", "off", "0"};

/// The truth value that a text spells, in capital or small letters: true, t, yes, y, on, 1; false,
/// f, no, n, off, 0.
std::optional<bool> parse_truth(std::string_view text);

/// Whether two texts are true and false in the same spelling, in either order: yes and No, 0 and 1.
/// T and N are not.
bool are_truth_pair(std::string_view a, std::string_view b);

/// Whether these are two such texts.
bool are_truth_pair(std::span<const std::string> texts);

/// Whether the texts are the words true and false, which other programs also read as truth values.
bool are_true_and_false(std::string_view a, std::string_view b);

}  // namespace equinoise
