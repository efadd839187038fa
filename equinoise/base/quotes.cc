// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/quotes.h"

namespace equinoise {

size_t find_outside_quotes(std::string_view text, char character) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == character) return i;
    if (text[i] != '"') continue;
    const size_t closing = text.find('"', i + 1);
    if (closing != text.npos) i = closing;
  }
  return text.npos;
}

size_t rfind_outside_quotes(std::string_view text, char character) {
  size_t last = text.npos;
  for (size_t begin = 0; begin < text.size();) {
    const size_t found = find_outside_quotes(text.substr(begin), character);
    if (found == text.npos) break;
    last = begin + found;
    begin = last + 1;
  }
  return last;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote) quoted += quote;
    quoted += c;
  }
  return quoted + quote;
}

std::string without_quotes(std::string_view name) {
  if (name.size() < 2 || name.front() != '"' || name.back() != '"') return std::string(name);
  const std::string_view inside = name.substr(1, name.size() - 2);
  std::string result;
  for (size_t i = 0; i < inside.size(); ++i) {
    result += inside[i];
    if (inside[i] != '"') continue;
    if (!inside.substr(i).starts_with("\"\"")) return std::string(name);  // "a"="b"
    ++i;
  }
  return result;
}

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> result;
  while (true) {
    const size_t comma = find_outside_quotes(names, ',');
    result.push_back(without_quotes(names.substr(0, comma)));
    if (comma == names.npos) return result;
    names.remove_prefix(comma + 1);
  }
}

std::string with_quotes(std::string_view name) {
  return name.find_first_of(",\"") == name.npos ? std::string(name) : in_quotes(name);
}

}  // namespace equinoise
