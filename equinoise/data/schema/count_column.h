// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The column of a counted table with the number of equal rows that each of its rows represents.
/// Its name describes how the table was counted, so that it is not read with another schema:
/// equinoise_count, or with suffixes `equinoise_count_bins1024_units100000_rows5`, in small or
/// capital letters.
struct CountColumn {
  std::optional<int> public_bins = {};    ///< the number of bins in which numbers were counted
  std::optional<int64_t> num_units = {};  ///< for rows of units: the number of units
  int64_t rows_of_unit = 1;               ///< and the most rows of each that count

  bool operator==(const CountColumn&) const = default;

  /// The count column of tables counted with a schema. `num_units`: the number of units found, if
  /// the schema has a column of units.
  static CountColumn of(const Schema& schema, std::optional<int64_t> num_units = {});

  std::string name() const;
};

/// Whether a name begins like that of a count column, which no other column may.
bool is_like_count_column(std::string_view name);

/// The count column of that name; nothing if it is none, however it begins.
std::optional<CountColumn> parse_count_column(std::string_view name);

/// The reason why a table counted so cannot be read with a schema, and a remedy; "" if it can.
std::string problem_of_count_column(const CountColumn& column, const Schema& schema);

}  // namespace equinoise
