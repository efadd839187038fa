// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/spelled_number.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {
namespace {

constexpr std::string_view kFigures = "0123456789";
constexpr size_t kLongestUnit = 20;
/// Dollar, euro, pound, yen, rupee; of these only the first is one byte.
constexpr std::array<std::string_view, 5> kMoney = {"$", "\u20ac", "\u00a3", "\u00a5", "\u20b9"};
/// Non-breaking blanks, a thin blank, and the typographic apostrophe.
constexpr std::array<std::string_view, 3> kOtherBlanks = {"\u00a0", "\u202f", "\u2009"};
constexpr std::string_view kApostrophe = "\u2019";

bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_sign(std::string_view text) { return text.starts_with('-') || text.starts_with('+'); }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// Takes a blank of any kind from an end of the text.
bool take_blank(std::string_view& text, bool from_front) {
  for (const std::string_view blank : {std::string_view(" "), std::string_view("\t"),
                                       kOtherBlanks[0], kOtherBlanks[1], kOtherBlanks[2]}) {
    if (from_front ? !text.starts_with(blank) : !text.ends_with(blank)) continue;
    from_front ? text.remove_prefix(blank.size()) : text.remove_suffix(blank.size());
    return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  while (take_blank(text, true)) {
  }
  while (take_blank(text, false)) {
  }
  return text;
}

/// The number of bytes of `mark` at the front; 0: another text.
size_t mark_size(std::string_view text, char mark) {
  if (text.starts_with(mark)) return 1;
  if (mark == '\'') return text.starts_with(kApostrophe) ? kApostrophe.size() : 0;
  if (mark != ' ') return 0;
  for (const std::string_view blank : kOtherBlanks)
    if (text.starts_with(blank)) return blank.size();
  return 0;
}

/// Appends the digits of a number without the marks between groups of three, then the rest.
bool append_without_marks(std::string_view text, char mark, std::string& plain) {
  size_t in_group = 0;
  bool is_grouped = false;
  while (!text.empty()) {
    if (is_figure(text.front())) {
      plain += text.front();
      text.remove_prefix(1);
      ++in_group;
      continue;
    }
    const size_t size = mark_size(text, mark);
    if (size == 0) break;
    if (is_grouped ? in_group != 3 : in_group < 1 || in_group > 3) return false;
    is_grouped = true;
    in_group = 0;
    text.remove_prefix(size);
  }
  if (is_grouped && in_group != 3) return false;
  for (size_t i = 0; i < text.size(); ++i)
    if (mark_size(text.substr(i), mark) != 0) return false;
  plain += text;
  return true;
}

/// Whether the text behind a number is a unit. `is_apart`: blanks separate them.
bool is_unit_behind(std::string_view unit, bool is_apart) {
  if (!is_number_unit(unit)) return false;
  if (is_apart) return true;
  // 101a and 12B are codes.
  const bool is_letter = unit.size() == 1 && unit[0] >= 'a' && unit[0] <= 'z';
  return !is_letter && std::ranges::none_of(unit, is_capital);
}

/// Takes a unit from before a number.
std::string_view take_unit_before(std::string_view& text) {
  for (const std::string_view sign : kMoney) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    while (take_blank(text, true)) {
    }
    return sign;
  }
  constexpr size_t kCode = 3;
  if (text.size() <= kCode || !std::all_of(text.begin(), text.begin() + kCode, is_capital))
    return {};
  std::string_view rest = text.substr(kCode);
  if (!take_blank(rest, true)) return {};
  const std::string_view unit = text.substr(0, kCode);
  text = trimmed(rest);
  return unit;
}

}  // namespace

bool is_number_unit(std::string_view text) {
  if (text.empty() || text.size() > kLongestUnit || trimmed(text).size() != text.size())
    return false;
  return text.find_first_of("0123456789+-.,'\"\t\n\r") == text.npos;
}

std::string_view plain_number(std::string_view cell, char thousands, std::string_view unit,
                              std::string& buffer) {
  buffer.clear();
  cell = trimmed(cell);
  const auto take_sign = [&] {
    if (!buffer.empty() || !is_sign(cell)) return;
    buffer = cell.front();
    cell.remove_prefix(1);
  };
  take_sign();
  if (!unit.empty() && cell.starts_with(unit)) {
    cell = trimmed(cell.substr(unit.size()));
    take_sign();
  } else if (!unit.empty() && cell.ends_with(unit)) {
    cell.remove_suffix(unit.size());
    while (take_blank(cell, false)) {
    }
  }
  if (thousands == '\0') return buffer += cell;
  if (!append_without_marks(cell, thousands, buffer)) buffer.clear();
  return buffer;
}

std::optional<SpelledNumber> parse_spelled_number(std::string_view cell, char decimal_mark) {
  if (cell.find_first_of(kFigures) == cell.npos) return std::nullopt;
  SpelledNumber result;
  std::string_view text = cell;
  const std::string_view sign = text.substr(0, is_sign(text) ? 1 : 0);
  text.remove_prefix(sign.size());
  result.unit = take_unit_before(text);
  if (text.empty() || !is_figure(text.front())) return std::nullopt;
  const size_t last = text.find_last_of(kFigures);
  std::string_view behind = text.substr(last + 1);
  if (!behind.empty()) {
    if (!result.unit.empty()) return std::nullopt;
    const size_t size = behind.size();
    behind = trimmed(behind);
    if (!is_unit_behind(behind, behind.size() < size)) return std::nullopt;
    result.unit = behind;
  }
  const std::string_view number = text.substr(0, last + 1);
  for (const char mark : kThousandsMarks) {
    if (mark == decimal_mark) continue;
    bool has_mark = false;
    for (size_t i = 0; i < number.size() && !has_mark; ++i)
      has_mark = mark_size(number.substr(i), mark) != 0;
    if (has_mark) result.thousands = mark;
  }
  std::string plain;
  if (!append_without_marks(number, result.thousands == '\0' ? '\'' : result.thousands, plain))
    return std::nullopt;
  result.plain = std::string(sign) + plain;
  const std::optional<double> value = parse_number(result.plain, decimal_mark);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  result.value = *value;
  if (result.unit.empty() && result.thousands == '\0') return std::nullopt;
  return result;
}

}  // namespace equinoise
