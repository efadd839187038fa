// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace equinoise {

/// The values of an enumeration with the words that users write for them.
template <typename Enum, size_t num_words>
using EnumWords = std::array<std::pair<Enum, std::string_view>, num_words>;

/// The words of an enumeration in reports; nullptr: it has none.
template <typename Enum>
inline constexpr std::nullptr_t words_for = nullptr;

/// The words alone, in their order.
template <typename Enum, size_t num_words>
std::vector<std::string_view> words_of(const EnumWords<Enum, num_words>& words) {
  std::vector<std::string_view> all;
  for (const auto& [value, word] : words) all.push_back(word);
  return all;
}

/// The word of a value, which must be among them.
template <typename Enum, size_t num_words>
constexpr std::string_view word_of(const EnumWords<Enum, num_words>& words, Enum value) {
  return std::ranges::find_if(words, [&](const auto& entry) { return entry.first == value; })
      ->second;
}

/// The value of a word, or nothing for a word that is not among them.
template <typename Enum, size_t num_words>
std::optional<Enum> value_of(const EnumWords<Enum, num_words>& words, std::string_view text) {
  for (const auto& [value, word] : words)
    if (word == text) return value;
  return std::nullopt;
}

}  // namespace equinoise
