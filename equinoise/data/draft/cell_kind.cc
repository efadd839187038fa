// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/cell_kind.h"

#include <algorithm>
#include <string>

#include "equinoise/data/values/parse_number.h"

namespace equinoise {

namespace {

/// Whether a text is a date in figures, with or without a time behind it: 1950-01-01, 1.1.50.
bool is_date(std::string_view text) {
  const auto take_figures = [&text] {
    const size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(size);
    return size > 0 && size <= 4;
  };
  if (!take_figures() || text.empty()) return false;
  const char mark = text.front();
  if (mark != '-' && mark != '/' && mark != '.') return false;
  text.remove_prefix(1);
  if (!take_figures() || !text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return take_figures() && (text.empty() || text.front() == ' ' || text.front() == 'T');
}

}  // namespace

bool is_written_number(std::string_view cell) {
  constexpr std::string_view kSigns = "%$, '";
  constexpr std::string_view kBeginnings = "0123456789-+$%";
  const bool may_be_one = kBeginnings.find(cell.front()) != kBeginnings.npos;
  if (!may_be_one) return false;
  std::string digits;
  for (const char c : cell)
    if (kSigns.find(c) == kSigns.npos) digits += c;
  return digits.size() < cell.size() && parse_number(digits).has_value();
}

bool is_ordinal(std::string_view cell) {
  const size_t size = cell.find_first_not_of("0123456789");
  if (size == 0 || size == cell.npos) return false;
  const char last = cell[size - 1];
  const bool is_teen = size > 1 && cell[size - 2] == '1';
  const std::string_view ending = is_teen       ? "th"
                                  : last == '1' ? "st"
                                  : last == '2' ? "nd"
                                  : last == '3' ? "rd"
                                                : "th";
  return cell.substr(size) == ending;
}

bool is_date_in_figures(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9' || !is_date(text)) return false;
  text = text.substr(0, text.find_first_of(" T"));
  const char mark = text[text.find_first_not_of("0123456789")];
  const size_t second = text.find(mark) + 1;
  const size_t third = text.find(mark, second) + 1;
  const size_t first_size = second - 1;
  const size_t middle_size = third - 1 - second;
  const size_t last_size = text.size() - third;
  constexpr size_t kYear = 4;
  if (middle_size > 2) return false;
  if (first_size == kYear) return last_size <= 2;
  return first_size <= 2 && (last_size == kYear || (last_size == 2 && mark != '-'));
}

CellKind kind_of_cell(std::string_view text) {
  if (text.find('@') != text.npos) return CellKind::kAddress;
  if (text.find_first_of("0123456789") == text.npos) return CellKind::kName;
  if (is_date(text)) return CellKind::kDate;
  const bool is_number =
      parse_number(text, '.') || parse_number(text, ',') || is_written_number(text);
  return is_number ? CellKind::kNumber : CellKind::kName;
}

bool has_leading_zero(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  return cell.size() > 1 && cell[0] == '0' && cell[1] >= '0' && cell[1] <= '9';
}

bool is_like_telephone(std::string_view number) {
  constexpr size_t kMin = 7;
  constexpr size_t kMax = 15;  // by E.164
  if (!number.starts_with('+')) return false;
  number.remove_prefix(1);
  return number.size() >= kMin && number.size() <= kMax &&
         number.find_first_not_of("0123456789") == number.npos;
}

}  // namespace equinoise
