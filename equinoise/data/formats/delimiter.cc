// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/delimiter.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {
namespace {

/// The line without its end.
std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

/// Removes a cell and the separator or line end behind it from `text`. Returns whether it was the
/// last cell of its record.
bool take_cell(std::string_view& text, char delimiter, std::string& cell) {
  cell.clear();
  const size_t quote = text.find_first_not_of(delimiter == '\t' ? " " : kBlanks);
  bool is_quoted = quote != text.npos && text[quote] == '"';
  if (is_quoted) text.remove_prefix(quote + 1);
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (is_quoted && c == '"') {
      is_quoted = text.starts_with('"');
      if (!is_quoted) continue;
      text.remove_prefix(1);
    } else if (!is_quoted && c == delimiter) {
      return false;
    } else if (!is_quoted && (c == '\n' || c == '\r')) {
      if (c == '\r' && text.starts_with('\n')) text.remove_prefix(1);
      return true;
    }
    cell += c;
  }
  return true;
}

/// Whether all records have the same number of cells, more than one.
bool is_even(const std::vector<std::vector<std::string>>& records) {
  if (records.empty() || records.front().size() < 2) return false;
  return std::ranges::all_of(records, [&](const std::vector<std::string>& cells) {
    return cells.size() == records.front().size();
  });
}

size_t num_words(std::string_view text) {
  size_t count = 0;
  while (!take_word(text).empty()) ++count;
  return count;
}

/// A sign that occurs equally often in every line, as a separator would; NUL for none.
char sign_in_every_line(const std::vector<std::vector<std::string>>& records) {
  for (const char sign : std::string_view(":^~#&!*=/\\\x01\x1f")) {
    const auto count_in = [sign](const std::vector<std::string>& cells) {
      return std::ranges::count(cells.front(), sign);
    };
    const auto count = count_in(records.front());
    const bool is_even = count > 0 && std::ranges::all_of(records, [&](const auto& cells) {
                           return count_in(cells) == count;
                         });
    if (is_even) return sign;
  }
  return '\0';
}

bool are_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// The decimal mark that a number shows.
enum class MarksOfNumber {
  kNoNumber,
  kUnclear,       ///< 12, or 1,234 and 1.234, which may be thousands
  kDecimalComma,  ///< 0,25 or 1.234,5 or 1.234.567
  kDecimalPoint,  ///< 0.25 or 1,234.5 or 1,234,567
  kList,          ///< 1,2,3
};

MarksOfNumber marks_of_number(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  const size_t first = std::min(cell.find_first_of(",."), cell.size());
  if (!are_digits(cell.substr(0, first))) return MarksOfNumber::kNoNumber;
  if (first == cell.size()) return MarksOfNumber::kUnclear;
  const char mark = cell[first];
  const MarksOfNumber as_decimal =
      mark == ',' ? MarksOfNumber::kDecimalComma : MarksOfNumber::kDecimalPoint;
  const MarksOfNumber as_thousands =
      mark == ',' ? MarksOfNumber::kDecimalPoint : MarksOfNumber::kDecimalComma;
  // The number of parts between equal marks, and whether all but the first have three digits.
  size_t num_parts = 1;
  bool are_groups = first <= 3 && cell.front() != '0';
  std::string_view rest = cell.substr(first);
  while (rest.starts_with(mark)) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find_first_of(",."));
    if (!are_digits(part)) return MarksOfNumber::kNoNumber;
    are_groups = are_groups && part.size() == 3;
    rest.remove_prefix(part.size());
    ++num_parts;
  }
  if (!rest.empty()) {
    const bool is_number = are_groups && are_digits(rest.substr(1));
    return is_number ? as_thousands : MarksOfNumber::kNoNumber;
  }
  if (num_parts == 2) return are_groups ? MarksOfNumber::kUnclear : as_decimal;
  if (are_groups) return as_thousands;
  return mark == ',' ? MarksOfNumber::kList : MarksOfNumber::kNoNumber;
}

/// One in so many numbers of a column, at least, must have a decimal comma.
constexpr size_t kMinCommas = 10;

}  // namespace

std::optional<char> declared_delimiter(std::string_view head) {
  std::string_view line = without_blanks_around(first_line(head));
  if (line.size() > 1 && line.front() == '"' && line.back() == '"')
    line = line.substr(1, line.size() - 2);
  constexpr std::string_view kKey = "sep=";
  const bool is_declared = line.size() == kKey.size() + 1 && line.starts_with(kKey) &&
                           kDelimiters.find(line.back()) != kDelimiters.npos;
  // The tab was removed with the blanks around the line.
  if (line == kKey && first_line(head).ends_with("=\t")) return '\t';
  return is_declared ? std::optional<char>(line.back()) : std::nullopt;
}

char delimiter_of_header(std::string_view head, const Schema& schema) {
  const auto is_better = [&](char a, char b) {
    return num_columns_named(head, a, schema) < num_columns_named(head, b, schema);
  };
  return *std::ranges::max_element(kDelimiters, is_better);
}

size_t num_columns_named(std::string_view head, char delimiter, const Schema& schema) {
  const std::vector<std::vector<std::string>> records = split_head(head, delimiter, 1);
  if (records.empty()) return 0;
  const auto is_column = [&](const std::string& name) {
    return schema.find_column(name) != nullptr ||
           schema.find_column(without_blanks_around(name)) != nullptr;
  };
  return static_cast<size_t>(std::ranges::count_if(records.front(), is_column));
}

std::vector<std::vector<std::string>> split_head(std::string_view head, char delimiter,
                                                 size_t max_records) {
  if (declared_delimiter(head)) head.remove_prefix(first_line(head).size());
  std::vector<std::vector<std::string>> records;
  while (!head.empty() && records.size() < max_records) {
    std::vector<std::string> cells(1);
    while (!take_cell(head, delimiter, cells.back())) cells.emplace_back();
    const bool is_blank = cells.size() == 1 && cells.front().empty();
    if (!is_blank) records.push_back(std::move(cells));
  }
  // The last record may be cut off, or hold everything behind a quote that is never closed.
  if (head.empty() && records.size() > 2) records.pop_back();
  return records;
}

char delimiter_of_lines(std::string_view head, std::string_view file) {
  std::optional<char> even;
  char widest = kDelimiters.front();
  size_t max_cells = 1;
  std::vector<std::vector<std::string>> records;
  for (const char delimiter : kDelimiters) {
    records = split_head(head, delimiter);
    if (is_even(records)) {
      if (even) {
        fail_in_file(file, fmt::format("has as many cells in every line whether they are separated "
                                       "by {} or by {}; say which with --delimiter",
                                       delimiter_name(*even), delimiter_name(delimiter)));
      }
      even = delimiter;
    }
    if (!records.empty() && records.front().size() > max_cells) {
      max_cells = records.front().size();
      widest = delimiter;
    }
  }
  if (even) return *even;
  if (max_cells > 1 || records.size() < 2) return widest;
  const size_t words = num_words(records.front().front());
  const bool has_words = words > 1 && std::ranges::all_of(records, [&](const auto& cells) {
                           return cells.size() == 1 && num_words(cells.front()) == words;
                         });
  if (sign_in_every_line(records) != '\0') {
    fail_in_file(file,
                 "seems to have a sign between its cells that is not read as a separator; write "
                 "commas instead, or give --delimiter , if each line is a single cell");
  }
  if (has_words) {
    fail_in_file(file,
                 "seems to have blanks between its cells, which are not read as separators; write "
                 "commas, e.g. with sed -E 's/[[:blank:]]+/,/g', or give --delimiter , if each "
                 "line is a single cell");
  }
  return widest;
}

bool has_decimal_commas(std::string_view head, char delimiter) {
  struct Seen {
    size_t cells = 0;
    size_t numbers = 0;
    size_t commas = 0;
    size_t points = 0;
    bool has_lists = false;
  };
  std::vector<Seen> columns;
  for (const std::vector<std::string>& cells : split_head(head, delimiter)) {
    columns.resize(std::max(columns.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string_view cell = without_blanks_around(cells[i]);
      if (cell.empty()) continue;
      ++columns[i].cells;
      const MarksOfNumber marks = marks_of_number(cell);
      columns[i].has_lists |= marks == MarksOfNumber::kList;
      if (marks == MarksOfNumber::kNoNumber || marks == MarksOfNumber::kList) continue;
      ++columns[i].numbers;
      if (marks == MarksOfNumber::kDecimalComma) ++columns[i].commas;
      if (marks == MarksOfNumber::kDecimalPoint) ++columns[i].points;
    }
  }
  size_t num_commas = 0;
  for (const Seen& seen : columns) {
    // One cell is the name of the column; a few others may be marks of missing values.
    const bool is_of_numbers = !seen.has_lists && 10 * seen.numbers >= 8 * (seen.cells - 1);
    if (seen.points > 0 && is_of_numbers) return false;
    // A few commas among many whole numbers are typing errors.
    if (is_of_numbers && kMinCommas * seen.commas >= seen.numbers) num_commas += seen.commas;
  }
  return num_commas > 1;
}

}  // namespace equinoise
