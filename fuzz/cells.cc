// SPDX-License-Identifier: Apache-2.0
// Cells. The first line of an input is what a schema says of its column, a format of times or a
// unit, or another cell; the rest is the cell.

#include <cmath>

#include "equinoise/data/schema/schema.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/data/values/spelled_number.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

void check_time(std::string_view cell, const TimeFormat& format) {
  const std::optional<double> number = parse_time(cell, format);
  // No schema has bounds beyond that.
  if (!number || std::fabs(*number) > kMaxExactWhole) return;
  require(*number == std::floor(*number), "a time is a whole number of units");
  const std::string text = print_time(*number, format);
  require(parse_time(text, format) == number, "a time that is written is read as the same");
}

void check_times(std::string_view written, std::string_view cell) {
  for (const TimeUnit unit : {TimeUnit::kDay, TimeUnit::kMinute, TimeUnit::kMicrosecond})
    for (const std::optional<int> offset : {std::optional<int>(), std::optional<int>(-330)})
      check_time(cell, {unit, ' ', offset});
  const std::optional<TimeFormat> format = parse_time_format(written);
  if (!format) return;
  require(parse_time_format(to_string(*format)) == format, "a format is written as it is read");
  check_time(cell, *format);
}

void check_numbers(std::string_view unit, std::string_view cell) {
  std::string buffer;
  for (const char decimal_mark : {'.', ','}) {
    const std::optional<SpelledNumber> spelled = parse_spelled_number(cell, decimal_mark);
    if (!spelled) continue;
    require(spelled->unit.empty() || is_number_unit(spelled->unit), "a unit that is found is one");
    require(spelled->unit.size() + spelled->plain.size() <= cell.size(), "nothing is made up");
    const std::string_view plain = plain_number(cell, spelled->thousands, spelled->unit, buffer);
    require(parse_number(plain, decimal_mark) == spelled->value,
            "a cell is read by what was found in it");
  }
  if (!is_number_unit(unit)) unit = {};
  for (const char mark : std::string("\0,.' ", 5)) {
    const std::string_view plain = plain_number(cell, mark, unit, buffer);
    require(plain.size() <= cell.size(), "a number without marks is not longer");
  }
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  std::string_view cell = fuzz::as_text(data, size);
  const std::string_view first = cell.substr(0, cell.find('\n'));
  cell.remove_prefix(std::min(first.size() + 1, cell.size()));
  fuzz::check_times(first, cell);
  fuzz::check_numbers(first, cell);
  if (are_truth_pair(first, cell)) {
    fuzz::require(parse_truth(first).has_value() && parse_truth(cell) == !*parse_truth(first),
                  "of a pair one is true, the other is false");
  }
  return 0;
}
