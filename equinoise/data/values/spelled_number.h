// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace equinoise {

/// Marks between groups of three digits; a blank is any blank, ' any apostrophe.
inline constexpr std::string_view kThousandsMarks = ",.' ";

/// Whether a text can be the unit of numbers: a word or a sign without figures, marks of numbers or
/// blanks around it.
bool is_number_unit(std::string_view text);

/// A number of a cell without `unit` before or after it (if present) and without marks between
/// groups of three digits ('\0': none); "" if groups do not have three digits. The result may be no
/// number. The view is of `cell` or of `buffer`.
std::string_view plain_number(std::string_view cell, char thousands, std::string_view unit,
                              std::string& buffer);

/// A number with the signs that people write around one: 1,234, 12 kg, $5.
struct SpelledNumber {
  double value = 0;
  std::string plain;      ///< without mark and unit
  char thousands = '\0';  ///< '\0': none
  std::string unit;       ///< "": none
};

/// The number of a cell that is not a plain one; nothing for other texts. A unit behind the number
/// is a sign, a word of two small letters or more, or any word after a blank. A unit before it is a
/// sign of money, or a code of three capitals and a blank.
std::optional<SpelledNumber> parse_spelled_number(std::string_view cell, char decimal_mark);

}  // namespace equinoise
