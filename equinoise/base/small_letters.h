// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise {

// Letters of ASCII alone change, whatever the locale.

constexpr char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string in_small_letters(std::string text) {
  for (char& c : text) c = small_letter(c);
  return text;
}

}  // namespace equinoise
