// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "equinoise/report/format.h"
#include "equinoise/report/means/means_report.h"

namespace equinoise {

namespace {

std::string line(const std::string& start, std::string_view statistic, double estimate,
                 const Interval& interval, double noise) {
  return fmt::format("{},{},{},{},{},{}\n", start, statistic, csv_number(estimate),
                     csv_number(interval.low), csv_number(interval.high), csv_number(noise));
}

constexpr Interval kNone = {kNoFigure, kNoFigure};

/// The lines of a stratum or overall.
template <typename Row>
std::string lines_of_row(const std::string& start, const Row& row) {
  std::string text = line(start, "mean", row.mean, row.interval.value_or(kNone), row.noise_stddev);
  if (row.population)
    text += line(start, "mean of population", row.mean, *row.population, kNoFigure);
  if (row.num_values) text += line(start, "values", *row.num_values, kNone, kNoFigure);
  if (row.weight)
    text += line(start, "sum of weights", row.weight->sum, kNone, row.weight->noise_stddev);
  return text;
}

}  // namespace

std::string means_to_csv(const MeansReport& report) {
  std::string text = "by,stratum,column,statistic,estimate,low,high,noise_stddev\n";
  const std::string by = csv_cell(columns_of(report.strata));
  for (const StratumMeanReport& row : report.rows) {
    if (report.strata.empty()) break;
    const std::string start =
        fmt::format("{},{},{}", by, csv_cell(joined_values(row.stratum)), csv_cell(row.column));
    text += lines_of_row(start, row);
    if (row.num_records)
      text += line(start, "records", *row.num_records, row.num_records_interval.value_or(kNone),
                   kNoFigure);
  }
  for (const OverallMeanReport& row : report.overall)
    text += lines_of_row(",," + csv_cell(row.column), row);
  return text;
}

}  // namespace equinoise
