// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// A table of texts, shown by every form of a report.
struct TextTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows = {};
  size_t num_left = 1;         ///< number of first columns that hold words; the others hold figures
  bool ends_in_total = false;  ///< the last row is the overall one
};

/// The table as lines of text, without its caption: words left-aligned, figures right-aligned, a
/// rule below the head. Words go on in a further line where a row is longer than kMaxLine.
std::string to_text(const TextTable& table);

/// The largest number of bytes in a line on a terminal, except rows of many figures.
inline constexpr size_t kMaxLine = 160;

/// The text with lines of at most kMaxLine bytes, words kept whole. A line that goes on does so
/// after `ending` and `indent` blanks. A command to type (": equinoise ...") starts a line.
std::string wrapped(std::string_view text, size_t indent = 2, std::string_view ending = "");

/// One line per sentence.
std::string lines_of(const std::vector<std::string>& sentences);

/// One line per warning.
std::string warnings_to_text(const std::vector<std::string>& warnings);

}  // namespace equinoise
