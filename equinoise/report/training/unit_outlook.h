// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/fields.h"

namespace equinoise {

/// The effect of the number of rows used per unit, from public facts only. Publishable.
struct UnitOutlook {
  struct Row {
    int64_t max_records = 1;
    bool is_declared = false;  ///< in the schema
    /// Standard deviation of the noise in a single released number of rows at that budget.
    double count_noise = 0;
    // Members that are set if the number of rows of units is public:
    std::optional<int64_t> num_kept;   ///< rows that are used
    std::optional<double> mean_noise;  ///< of the mean of a column, in widths of its bounds
    /// The largest distance of that mean from the mean of all rows, in the same unit.
    std::optional<double> largest_bias;
  };

  std::string version;
  std::string dataset;
  std::string unit;
  Guarantee privacy{Epsilon(0), Delta(0), AccountantName::kZcdp, Relation::kZeroOut};
  std::optional<int64_t> num_units;  ///< public
  std::optional<int64_t> num_rows;   ///< of all units, if the number of rows of each is public
  std::vector<Row> rows;             ///< ascending
};

template <>
inline constexpr auto fields_of<UnitOutlook::Row> = [] {
  using Row = UnitOutlook::Row;
  return std::tuple(
      field("max_records_per_unit", &Row::max_records, "Rows of a unit that would count"),
      field("declared", &Row::is_declared, "Whether the schema says so"),
      field("count_noise_stddev", &Row::count_noise, "Of a number of rows"),
      field("rows_kept", &Row::num_kept, "Rows that count"),
      field("mean_noise_stddev_in_widths", &Row::mean_noise, "Of the mean of a column"),
      field("largest_bias_in_widths", &Row::largest_bias, "Of that mean"));
}();

template <>
inline constexpr auto fields_of<UnitOutlook> =
    std::tuple(field("version", &UnitOutlook::version, "Version of the program"),
               field("dataset", &UnitOutlook::dataset, "Name of the table in the schema"),
               field("unit", &UnitOutlook::unit, "Column that says whose a row is"),
               field("privacy", &UnitOutlook::privacy, "Guarantee at which noise is compared"),
               field("num_units", &UnitOutlook::num_units, "Public number of units"),
               field("num_rows", &UnitOutlook::num_rows, "Public number of rows"),
               field("rows", &UnitOutlook::rows, "What each number of rows costs"));

std::string unit_outlook_to_text(const UnitOutlook& outlook);

}  // namespace equinoise
