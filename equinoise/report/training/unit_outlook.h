// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// What it costs to let a unit have so many rows that count, from public facts alone. Publishable.
struct UnitOutlook {
  struct Row {
    int64_t max_records = 1;
    bool is_declared = false;  ///< in the schema
    /// Standard deviation of the noise in a number of rows that is released alone at that budget.
    double count_noise = 0;
    // Where it is public how many rows units have:
    std::optional<int64_t> num_kept;     ///< rows that count
    std::optional<double> mean_noise;    ///< of the mean of a column, in widths of its bounds
    std::optional<double> largest_bias;  ///< of that mean, in the same; how far it is from the mean
                                         ///< of all rows, at most
  };

  std::string version;
  std::string dataset;
  std::string unit;
  Guarantee privacy{Epsilon(0), Delta(0), AccountantName::kZcdp, Relation::kZeroOut};
  int64_t num_units = 0;            ///< 0: not public
  std::optional<int64_t> num_rows;  ///< of all units, where it is public how many each has
  std::vector<Row> rows;            ///< ascending
};

std::string unit_outlook_to_text(const UnitOutlook& outlook);
nlohmann::ordered_json unit_outlook_to_json(const UnitOutlook& outlook);

}  // namespace equinoise
