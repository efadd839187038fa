// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace equinoise {

/// What may stand between groups of three digits; a blank is any blank, ' any apostrophe.
inline constexpr std::string_view kThousandsMarks = ",.' ";

/// Whether a text can be the unit of numbers: a word or a sign without figures, marks of numbers
/// and blanks around it.
bool is_number_unit(std::string_view text);

/// A number as a cell spells it, without `unit` before or after it (where it is there) and without
/// marks between groups of three digits ('\0': none); "" where the groups are not of three. What
/// stays may be no number. The view is of `cell` or of `buffer`.
std::string_view plain_number(std::string_view cell, char thousands, std::string_view unit,
                              std::string& buffer);

/// A number with what people write around one: 1,234, 12 kg, $5.
struct SpelledNumber {
  double value = 0;
  std::string plain;      ///< without mark and unit
  char thousands = '\0';  ///< '\0': none
  std::string unit;       ///< "": none
};

/// What a cell spells that is no plain number; nothing for other texts. A unit behind the number is
/// a sign, a word of two small letters or more, or any word after a blank; before it a sign of
/// money, or a code of three capitals and a blank.
std::optional<SpelledNumber> parse_spelled_number(std::string_view cell, char decimal_mark);

}  // namespace equinoise
