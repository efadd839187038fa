// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace equinoise {

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*[<|~&$";
  const auto is_word = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool bare_underscore = c == '_' && !(is_word(i - 1) && is_word(i + 1));
    if (bare_underscore || kSpecial.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string markdown_code(const std::string& text) {
  size_t longest = 0;
  for (size_t run = 0, i = 0; i < text.size(); ++i) {
    run = text[i] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return fmt::format("{}\n{}\n{}\n", fence, text, fence);
}

std::string markdown_table(const TextTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + markdown_text(cell) + " |";
    return text + "\n";
  };
  std::string text = "\n" + line(table.head) + "|";
  for (size_t i = 0; i < table.head.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text;
}

}  // namespace equinoise
