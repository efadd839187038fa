// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace equinoise {

/// A file below repro/, as it was when the tool was built.
struct EmbeddedItem {
  std::string_view name;  ///< "001/table4"
  std::string_view text;  ///< TOML
};

/// The embedded files by name. The source is made by cmake/embed_text.cmake.
const std::vector<EmbeddedItem>& embedded_items();

}  // namespace equinoise
