// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/markup.h"

#include <algorithm>
#include <cstdint>

namespace equinoise {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The number of bytes of the UTF-8 character at the start of `text`; 0 if there is none. Overlong
/// forms, surrogates and values above U+10FFFF are invalid [RFC 3629].
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const int first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return continues(1) ? 2 : 0;
  if (first < 0xF0) {
    const int low = first == 0xE0 ? 0xA0 : 0x80;
    const int high = first == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
  }
  const int low = first == 0xF0 ? 0x90 : 0x80;
  const int high = first == 0xF4 ? 0x8F : 0xBF;
  return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
}

bool is_control(std::string_view character) {
  if (character.size() == 1) {
    const auto code = static_cast<uint8_t>(character[0]);
    return (code < 0x20 && code != '\n' && code != '\t') || code == 0x7F;
  }
  const bool is_c1 = character[0] == '\xC2' && static_cast<uint8_t>(character[1]) < 0xA0;
  // A mark that changes the direction of writing in a name would also affect the text around it.
  const bool turns = character >= "\xE2\x80\xAA" && character <= "\xE2\x80\xAE";
  const bool isolates = character >= "\xE2\x81\xA6" && character <= "\xE2\x81\xA9";
  return is_c1 || turns || isolates;
}

/// The character as markup, unchanged unless it needs an escape.
std::string_view escaped(std::string_view character) {
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  if (character == "\"") return "&quot;";
  if (character == "'") return "&#39;";
  return is_control(character) ? kReplacement : character;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string markup;
  markup.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    markup += length == 0 ? kReplacement : escaped(text.substr(0, length));
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return markup;
}

std::string element(std::string_view name, const Attributes& attributes, std::string_view content) {
  std::string markup = "<" + std::string(name);
  for (const auto& [key, value] : attributes)
    markup += " " + std::string(key) + "=\"" + escape_markup(value) + "\"";
  markup += ">";
  markup += content;
  return markup + "</" + std::string(name) + ">";
}

std::string text_element(std::string_view name, std::string_view text) {
  return element(name, {}, escape_markup(text));
}

}  // namespace equinoise
