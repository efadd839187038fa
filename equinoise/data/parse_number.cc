#include "equinoise/data/parse_number.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace equinoise {

std::optional<double> parse_number(std::string_view cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (cell.empty() || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not tell 1e999 from 1e-999; a stream fails for the first only.
    std::istringstream stream{std::string(cell)};
    stream.imbue(std::locale::classic());
    stream >> value;
    return stream ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  if (error != std::errc() || std::isnan(value)) return std::nullopt;
  return value;
}

}  // namespace equinoise
