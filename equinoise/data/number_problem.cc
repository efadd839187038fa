// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/number_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/spelled_number.h"

namespace equinoise {

namespace {

constexpr std::string_view kTypographicMinus = "\u2212";

bool is_number_by_any_mark(std::string_view text) {
  return parse_number(text, '.') || parse_number(text, ',') || parse_spelled_number(text, '.') ||
         parse_spelled_number(text, ',');
}

/// The problem of a negative number in a notation that no key of the schema reads, or "".
std::string problem_of_sign(std::string_view cell) {
  const auto is_number = [&](size_t begin, size_t end) {
    return begin + end < cell.size() && is_number_by_any_mark(without_blanks_around(
                                            cell.substr(begin, cell.size() - begin - end)));
  };
  if (cell.starts_with('(') && cell.ends_with(')') && is_number(1, 1))
    return "is in brackets, as accounts write numbers below 0: write a minus before it instead";
  if (cell.ends_with('-') && is_number(0, 1))
    return "has its minus behind it: write the minus before the number";
  if (cell.starts_with(kTypographicMinus) && is_number(kTypographicMinus.size(), 0))
    return "has a typographic minus: write a hyphen, -, instead";
  return "";
}

/// The key that reads a unit. A sign is quoted; a word may be data and is not.
std::string unit_key(const std::string& unit) {
  constexpr std::array<std::string_view, 6> kSigns = {"%",      "$",      "\u20ac",
                                                      "\u00a3", "\u00a5", "\u20b9"};
  const bool is_sign = contains(kSigns, unit);
  return is_sign ? fmt::format("unit = \"{}\"", unit)
                 : "unit = \"UNIT\", with the text that stands there,";
}

/// The key that makes `mark` the decimal mark.
std::string_view decimal_key(char mark) {
  return mark == ',' ? "decimal_comma = true under [table] (or give --decimal-comma)"
                     : "decimal_comma = false under [table] (or give --decimal-point)";
}

}  // namespace

std::string problem_of_number(std::string_view cell, char decimal_mark,
                              const ColumnSchema& column) {
  if (std::string problem = problem_of_sign(cell); !problem.empty()) return problem;
  const char other_mark = decimal_mark == '.' ? ',' : '.';
  std::optional<SpelledNumber> spelled = parse_spelled_number(cell, decimal_mark);
  const bool has_other_mark = !spelled;
  if (has_other_mark) spelled = parse_spelled_number(cell, other_mark);
  if (!spelled && parse_number(cell, other_mark)) spelled = SpelledNumber();
  if (!spelled) return "";
  const bool has_new_thousands =
      spelled->thousands != '\0' && spelled->thousands != column.thousands;
  const bool has_new_unit = !spelled->unit.empty() && spelled->unit != column.number_unit;
  const bool has_two_ways = (has_new_thousands && column.thousands != '\0') ||
                            (has_new_unit && !column.number_unit.empty());
  if (has_two_ways && !has_other_mark) {
    return "has a mark between thousands or a unit other than those of the schema: write all "
           "numbers of the column in one way";
  }
  std::vector<std::string_view> what;
  std::vector<std::string> keys;
  if (has_other_mark) {
    what.emplace_back(other_mark == ',' ? "a decimal comma" : "a decimal point");
    keys.emplace_back(decimal_key(other_mark));
  }
  if (has_new_thousands) {
    what.emplace_back("marks between thousands");
    keys.push_back(fmt::format("thousands = \"{}\"", spelled->thousands));
  }
  if (has_new_unit) {
    what.emplace_back("a unit");
    keys.push_back(unit_key(spelled->unit));
  }
  if (what.empty()) return "";
  std::string problem = fmt::format("has {}: write {} in the schema", fmt::join(what, " and "),
                                    fmt::join(keys, " and "));
  // 1,234 may also be 1 and 234 thousandths.
  if (!has_other_mark && spelled->thousands == other_mark && parse_number(cell, other_mark)) {
    problem += fmt::format("; if the {} stands before decimals, {} instead",
                           other_mark == ',' ? "comma" : "point", decimal_key(other_mark));
  }
  return problem;
}

}  // namespace equinoise
