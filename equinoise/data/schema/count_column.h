// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The column of a counted table that says how many equal rows each of its rows stands for. Its
/// name says how the table was counted, so that it is not read by another schema:
/// equinoise_count, or with what follows `equinoise_count_bins1024_units100000_rows5`, in small or
/// capital letters.
struct CountColumn {
  std::optional<int> public_bins = {};    ///< the numbers of bins as which numbers were counted
  std::optional<int64_t> num_units = {};  ///< where rows of units were counted: how many of these
  int64_t rows_of_unit = 1;               ///< and how many rows of each count at most

  bool operator==(const CountColumn&) const = default;

  /// That of tables which are counted by a schema. `num_units`: whose rows were found, where it has
  /// a column of units.
  static CountColumn of(const Schema& schema, std::optional<int64_t> num_units = {});

  std::string name() const;
};

/// Whether a name begins as those of count columns do, which no other column may have.
bool is_like_count_column(std::string_view name);

/// The count column that a name is; nothing where it is none, however it begins.
std::optional<CountColumn> parse_count_column(std::string_view name);

/// Why a table that is counted so cannot be read by a schema, and what to do; "" where it can.
std::string problem_of_count_column(const CountColumn& column, const Schema& schema);

}  // namespace equinoise
