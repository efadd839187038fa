// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// The effect of the number of rows used per unit, from public facts only. Publishable.
struct UnitOutlook {
  struct Row {
    int64_t max_records = 1;
    bool is_declared = false;  ///< in the schema
    /// Standard deviation of the noise in a single released number of rows at that budget.
    double count_noise = 0;
    // If the number of rows of units is public:
    std::optional<int64_t> num_kept;   ///< rows that are used
    std::optional<double> mean_noise;  ///< of the mean of a column, in widths of its bounds
    /// The largest distance of that mean from the mean of all rows, in the same unit.
    std::optional<double> largest_bias;
  };

  std::string version;
  std::string dataset;
  std::string unit;
  Guarantee privacy{Epsilon(0), Delta(0), AccountantName::kZcdp, Relation::kZeroOut};
  int64_t num_units = 0;            ///< 0: not public
  std::optional<int64_t> num_rows;  ///< of all units, if the number of rows of each is public
  std::vector<Row> rows;            ///< ascending
};

std::string unit_outlook_to_text(const UnitOutlook& outlook);
nlohmann::ordered_json unit_outlook_to_json(const UnitOutlook& outlook);

}  // namespace equinoise
