#include "equinoise/base/flag_list.h"

#include <algorithm>

namespace equinoise {

bool lists_flag(std::string_view flags, std::string_view flag) {
  for (size_t begin = 0; begin < flags.size();) {
    const size_t end = std::min(flags.find(' ', begin), flags.size());
    if (flags.substr(begin, end - begin) == flag) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace equinoise
