// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace equinoise {

std::string to_text(const TextTable& table) {
  const auto& [caption, head, rows, num_left, ends_in_total] = table;
  std::vector<size_t> widths;
  for (size_t column = 0; column < head.size(); ++column) {
    size_t width = head[column].size();
    for (const auto& row : rows) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  const auto format_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t column = 0; column < cells.size(); ++column) {
      if (column > 0) line += "  ";
      line += column < num_left ? fmt::format("{:<{}}", cells[column], widths[column])
                                : fmt::format("{:>{}}", cells[column], widths[column]);
    }
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  size_t total = 2 * (head.size() - 1);
  for (size_t width : widths) total += width;
  std::string text = format_row(head) + std::string(total, '-') + "\n";
  for (const auto& row : rows) text += format_row(row);
  return text;
}

std::string wrapped(std::string_view text, size_t indent, std::string_view ending) {
  constexpr std::string_view kCommand = ": equinoise ";
  const size_t width = kMaxLine - ending.size();
  std::string lines;
  size_t begin = 0;  // of the line in `lines`
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size());
    const size_t room = width - (lines.size() - begin);
    size_t end = length;
    if (length > room) {
      const size_t command = ending.empty() ? text.find(kCommand) : text.npos;
      end = command < room ? command + 1 : text.rfind(' ', room);
      if (end == text.npos || end == 0) end = std::min(text.find(' ', 1), length);
    }
    lines += text.substr(0, end);
    text.remove_prefix(end);
    if (text.empty()) break;
    const bool goes_on = text.front() == ' ';
    text.remove_prefix(1);
    if (goes_on) lines += ending;
    lines += '\n';
    begin = lines.size();
    if (goes_on) lines.append(indent, ' ');
  }
  return lines;
}

std::string lines_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += wrapped(sentence) + "\n";
  return text;
}

std::string warnings_to_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += wrapped("warning: " + warning) + "\n";
  return text;
}

}  // namespace equinoise
