// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace equinoise {

/// Characters around a cell that are not part of it.
inline constexpr std::string_view kBlanks = " \t";

inline void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// Takes the next word from the front of a text; empty at the end.
inline std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

inline std::string_view without_blanks_around(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (text.empty() || (!is_blank(text.front()) && !is_blank(text.back()))) return text;
  skip_blanks(text);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace equinoise
