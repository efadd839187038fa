// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise {

/// A cell of CSV in the form of RFC 4180: in quotes if necessary.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace equinoise
