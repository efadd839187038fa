// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace equinoise {

/// Where a table of an engine is.
struct EngineUrl {
  enum class Kind { kPostgres, kDuckDb, kParquetFolder };

  Kind kind = Kind::kPostgres;
  std::string address;             ///< without the fragment and without a password
  std::vector<std::string> table;  ///< the parts of its name
  std::string shown;               ///< for messages
};

}  // namespace equinoise
