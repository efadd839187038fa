// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/base/quotes.h"

namespace equinoise {

/// A cell of CSV in the form of RFC 4180: in quotes if necessary.
inline std::string csv_cell(const std::string& text) {
  return text.find_first_of(",\"\r\n") == std::string::npos ? text : in_quotes(text);
}

}  // namespace equinoise
