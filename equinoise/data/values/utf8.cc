// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace equinoise {

bool is_utf8(std::string_view text) {
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    uint64_t word = 0;
    if (end - next >= 8) {
      std::memcpy(&word, next, sizeof word);
      if ((word & 0x8080808080808080) == 0) {
        next += 8;
        continue;
      }
    }
    const auto lead = static_cast<unsigned char>(*next++);
    if (lead < 0x80) continue;
    // Shortest forms only, no surrogates, nothing above U+10FFFF: these rules limit the second
    // byte.
    unsigned char lowest = 0x80;
    unsigned char highest = 0xbf;
    if (lead == 0xe0) lowest = 0xa0;
    if (lead == 0xed) highest = 0x9f;
    if (lead == 0xf0) lowest = 0x90;
    if (lead == 0xf4) highest = 0x8f;
    if (lead < 0xc2 || lead > 0xf4) return false;
    for (int left = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3; left > 0; --left) {
      if (next == end) return false;
      const auto byte = static_cast<unsigned char>(*next++);
      if (byte < lowest || byte > highest) return false;
      lowest = 0x80;
      highest = 0xbf;
    }
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

}  // namespace equinoise
