// SPDX-License-Identifier: Apache-2.0
// Tables of docs/reproductions that come from runs. A block of a page names the item and its
// options, then columns and rows by what the item's figures are called:
//
//   <!-- figures: 001/table1 --runs repro/001/table1_runs.json
//   columns: accuracy 2; both losses = loss 2 / loss 8
//   first row = magnitude
//   -->
//   (the table)
//   <!-- /figures -->
//
// The cell of a row and a column is the figure "magnitude accuracy 2", or the two figures of both
// losses: published, then ours with its standard error, bold where it reproduces. Where a column's
// part has a *, the row's stands there; "loss 2 [target]" is that key of the figure alone. After
// "digits: 4" figures are ours alone, so many digits without errors. "<!-- tests: ... -->" are the
// item's tests, and "<!-- counts: ... -->" how many of its tests, targets and figures hold.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tests/docs/page.h"

namespace equinoise::testing {

/// A column or row: what the page calls it, and its part of the figures' names.
struct Named {
  std::string label;
  std::string part;
};

inline Named named(const std::string& text) {
  const size_t equals = text.find(" = ");
  if (equals == std::string::npos) return {text, text};
  return {text.substr(0, equals), text.substr(equals + 3)};
}

/// What stands between separators.
inline Lines split(const std::string& text, const std::string& separator) {
  Lines parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return parts;
}

/// The name of the figure in a row's cell.
inline std::string name_of_figure(const std::string& row, std::string column) {
  const size_t star = column.find('*');
  if (star == std::string::npos) return row + " " + column;
  return column.replace(star, 1, row);
}

/// A column: what the page calls it, and the figures in its cells.
struct FiguresColumn {
  struct Part {
    std::string figure;  ///< with the row the figure's name: name_of_figure()
    std::string key;     ///< "published" or "target"; "": published, then ours
  };
  std::string label;
  std::vector<Part> parts;
};

/// What the lines of a block ask for.
struct AskedFigures {
  std::vector<FiguresColumn> columns;
  std::vector<Named> rows;
  int digits = 0;
};

inline AskedFigures parse_asked(const Lines& lines) {
  constexpr std::string_view kColumns = "columns: ";
  constexpr std::string_view kDigits = "digits: ";
  AskedFigures asked;
  for (const std::string& line : lines) {
    if (line.starts_with(kDigits)) {
      asked.digits = std::stoi(line.substr(kDigits.size()));
    } else if (line.starts_with(kColumns)) {
      for (const std::string& text : split(line.substr(kColumns.size()), "; ")) {
        const Named column = named(text);
        FiguresColumn& parsed = asked.columns.emplace_back();
        parsed.label = column.label;
        for (const std::string& part : split(column.part, " / ")) {
          const size_t key = part.find(" [");
          parsed.parts.push_back({part.substr(0, key), ""});
          if (key != std::string::npos)
            parsed.parts.back().key = part.substr(key + 2, part.size() - key - 3);
        }
      }
    } else {
      asked.rows.push_back(named(line));
    }
  }
  return asked;
}

/// A block of a page.
struct Block {
  std::string kind;     ///< "figures", "tests" or "counts"
  std::string command;  ///< the item and its options
  Lines asked;          ///< columns and rows
  size_t begin;         ///< of the table
  size_t end;
};

/// The block that begins in that line, if one does.
inline std::optional<Block> block_at(const Page& page, size_t line) {
  constexpr std::array kKinds = {"figures", "tests", "counts"};
  constexpr std::string_view kEnd = " -->";
  std::string head = page.lines[line];
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const std::string& one) {
    return head.starts_with("<!-- " + one + ": ");
  });
  if (kind == kKinds.end()) return std::nullopt;
  head.erase(0, head.find(": ") + 2);
  Block block = {*kind, head, {}, line + 1, 0};
  if (head.ends_with(kEnd)) {
    block.command.resize(head.size() - kEnd.size());
  } else {
    while (page.lines.at(block.begin) != "-->") block.asked.push_back(page.lines[block.begin++]);
    ++block.begin;
  }
  block.end = block.begin;
  while (page.lines.at(block.end) != "<!-- /" + block.kind + " -->") ++block.end;
  return block;
}

}  // namespace equinoise::testing
