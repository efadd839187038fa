// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The most rows that a chart shows; a page of more is no picture any more.
inline constexpr size_t kMaxChartRows = 60;

/// One group of a chart.
struct DotRow {
  std::string name;
  std::string size;  ///< how many people, as text
  Estimate estimate;
  /// Of a chart of errors: what chance alone would make, drawn as a tick; NaN: unknown.
  double yardstick = std::numeric_limits<double>::quiet_NaN();
  std::string text = {};  ///< of the figure; "": by the digits that suit the total
};

/// What the dots of a chart are: estimates with intervals, or errors, which have none.
enum class DotKind { kEstimates, kErrors };

/// Estimates of groups with their intervals, or errors of anything, one row each, on one axis.
struct DotChart {
  std::string id;  ///< unique in the page
  std::string title;
  std::string metric;  ///< an estimate of a share is shown in percent
  std::string axis_label;
  std::string name_head;
  std::string size_head;
  std::vector<DotRow> rows;
  DotRow total = {};                ///< the overall row, set apart
  bool has_total = true;            ///< else of the total only digits are taken, and no row
  bool compares_with_zero = false;  ///< a line at 0; else one at the total
  DotKind kind = DotKind::kEstimates;
  std::string rows_are = "groups";
};

/// The chart as a `<figure>`: names, sizes and figures are text next to a drawing of fixed row
/// height. Of more than kMaxChartRows rows it shows those with the greatest `weight` (row, NaN
/// counts least), in their order, and says which by the words `selection`.
std::string dot_chart(DotChart chart, const std::vector<double>& weights,
                      std::string_view selection);

/// One line of a chart.
struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< those that are not finite are left out
};

/// At most three lines.
struct LineChart {
  std::string id;  ///< unique in the page
  std::string title;
  std::string description;  ///< for readers who do not see it
  std::string axis_label;
  std::vector<Line> lines;
  bool marks_points = false;  ///< each point; else the last of a line, and across begins at 0
  /// Equal ratios are equal distances across; of points > 0 that span a power of ten at least.
  bool is_logarithmic = false;
  std::string up_label = "";  ///< what stands upwards, where the title does not say it
};

/// The chart as a `<figure>`, each line named next to its end; "" without any point.
std::string line_chart(const LineChart& chart);

/// What of a ledger's budget was spent before, by this run, and is left, as a `<figure>`.
std::string budget_chart(const std::string& id, const LedgerStatement& ledger);

}  // namespace equinoise
