// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace equinoise {

namespace {

/// The width of each column: that of its longest cell. If the line would be too long for a screen,
/// the widest columns of words become narrower, down to their longest word.
std::vector<size_t> widths_of(const TextTable& table) {
  constexpr size_t kNarrowest = 24;
  std::vector<size_t> widths;
  std::vector<size_t> least;
  size_t total = 0;
  for (size_t column = 0; column < table.head.size(); ++column) {
    size_t width = 0;
    size_t word = kNarrowest;
    const auto look_at = [&](const std::string& cell) {
      width = std::max(width, cell.size());
      for (size_t begin = 0; begin < cell.size();) {
        const size_t end = std::min(cell.find(' ', begin), cell.size());
        word = std::max(word, end - begin);
        begin = end + 1;
      }
    };
    look_at(table.head[column]);
    for (const auto& row : table.rows) look_at(row[column]);
    widths.push_back(width);
    least.push_back(column < table.num_left ? std::min(word, width) : width);
    total += width + (column > 0 ? 2 : 0);
  }
  for (; total > kMaxLine; --total) {
    std::optional<size_t> widest;
    for (size_t column = 0; column < widths.size(); ++column)
      if (widths[column] > least[column] && (!widest || widths[column] > widths[*widest]))
        widest = column;
    if (!widest) break;
    --widths[*widest];
  }
  return widths;
}

/// The lines of a cell, words kept whole.
std::vector<std::string> lines_of_cell(std::string_view cell, size_t width) {
  std::vector<std::string> lines;
  while (cell.size() > width) {
    const size_t end = cell.rfind(' ', width);
    if (end == cell.npos || end == 0) break;
    lines.emplace_back(cell.substr(0, end));
    cell.remove_prefix(end + 1);
  }
  lines.emplace_back(cell);
  return lines;
}

}  // namespace

std::string to_text(const TextTable& table) {
  const std::vector<size_t> widths = widths_of(table);
  std::string text;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::vector<std::vector<std::string>> cells;
    size_t num_lines = 1;
    for (size_t column = 0; column < row.size(); ++column) {
      cells.push_back(lines_of_cell(row[column], widths[column]));
      num_lines = std::max(num_lines, cells.back().size());
    }
    for (size_t i = 0; i < num_lines; ++i) {
      std::string line;
      for (size_t column = 0; column < row.size(); ++column) {
        const std::string cell = i < cells[column].size() ? cells[column][i] : "";
        if (column > 0) line += "  ";
        line += column < table.num_left ? fmt::format("{:<{}}", cell, widths[column])
                                        : fmt::format("{:>{}}", cell, widths[column]);
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  };
  size_t total = 0;
  for (const size_t width : widths) total += width + (total > 0 ? 2 : 0);
  add_row(table.head);
  text += std::string(total, '-') + "\n";
  for (const auto& row : table.rows) add_row(row);
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
