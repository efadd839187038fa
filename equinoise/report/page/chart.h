// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The most rows in a chart; with more rows than a page holds, it is no longer readable.
inline constexpr size_t kMaxChartRows = 60;

/// One group of a chart.
struct DotRow {
  std::string name;
  std::string size;  ///< number of records, as text
  Estimate estimate;
  /// The error due to chance alone in a chart of errors, drawn as a tick; NaN: unknown.
  double yardstick = std::numeric_limits<double>::quiet_NaN();
  std::string text = {};  ///< the figure as text; "": with the digits that suit the total
};

/// The content of a chart: estimates with intervals, or errors, which have none.
enum class DotKind { kEstimates, kErrors };

/// Estimates of groups with intervals, or errors, one row each, on one axis.
struct DotChart {
  std::string id;  ///< unique in the page
  std::string title;
  std::string metric;  ///< an estimate of a share is shown in percent
  std::string axis_label;
  std::string name_head;
  std::string size_head = {};
  std::vector<DotRow> rows = {};
  DotRow total = {};      ///< the overall row, at a distance from the others
  bool has_total = true;  ///< otherwise the total only determines the digits and has no row
  bool compares_with_zero = false;  ///< a line at 0; otherwise at the total
  DotKind kind = DotKind::kEstimates;
  std::string rows_are = "groups";
};

/// The chart as a `<figure>`: names, sizes and figures are text next to a drawing of fixed row
/// height. With more than kMaxChartRows rows it shows those with the largest `weight` (row, NaN
/// counts least), in their order, and states that with the words `selection`.
std::string dot_chart(DotChart chart, const std::vector<double>& weights,
                      std::string_view selection);

/// One line of a chart.
struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< points that are not finite are left out
};

/// A chart of at most three lines.
struct LineChart {
  std::string id;  ///< unique in the page
  std::string title;
  std::string description;  ///< for readers who cannot see the chart
  std::string axis_label;
  std::vector<Line> lines = {};
  /// Marks each point; otherwise the last of a line, and the horizontal axis begins at 0.
  bool marks_points = false;
  /// The horizontal axis is logarithmic, for points > 0 that span at least a power of ten.
  bool is_logarithmic = false;
  std::string up_label = "";  ///< the quantity on the vertical axis, unless the title names it
};

/// The chart as a `<figure>`, with each line's name next to its end; "" without any point.
std::string line_chart(const LineChart& chart);

/// An interval of a curve: a straight line between its ends, and the share of records in it.
struct CurvePart {
  std::string name;
  double from = 0;
  double to = 0;
  double start = 0;  ///< height at `from`
  double end = 0;    ///< height just before `to`
  double share = 0;
  std::string text = {};  ///< the height as text
};

/// A curve over neighbouring intervals of numbers, with jumps between them.
struct CurveChart {
  std::string id;  ///< unique in the page
  std::string title;
  std::string description;  ///< for readers who cannot see the chart
  std::string axis_label;
  std::vector<CurvePart> parts;
};

/// The chart as a `<figure>`: the curve with a line at 0, and below it areas in proportion to the
/// shares. If many records are in intervals too narrow to see, all intervals have one width, as the
/// label says. Pre: there are parts.
std::string curve_chart(const CurveChart& chart);

/// The parts of a ledger's budget that were spent before, are spent by this run, and are left, as a
/// `<figure>`.
std::string budget_chart(const std::string& id, const LedgerStatement& ledger);

}  // namespace equinoise
