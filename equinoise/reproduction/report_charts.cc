// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/report_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/heat_map.h"
#include "equinoise/report/page/markup.h"
#include "equinoise/report/page/svg.h"
#include "equinoise/reproduction/reader.h"

namespace equinoise {

namespace {

using Anchor = Drawing::Anchor;

// Equal to the heights of the rows of text in the style sheet, html_page.cc.
constexpr double kRowHeight = 30;
constexpr double kAxisHeight = 24;
constexpr size_t kMaxAcross = 32;

bool is_bound(const PrintedValue& value) { return value.kind != PrintedValue::Kind::kFigure; }

/// One metric of all methods: published above, ours below.
class ComparisonDrawing {
 public:
  ComparisonDrawing(std::string id, const std::string& title,
                    std::vector<const ReproductionRow*> rows)
      : rows_(std::move(rows)),
        axis_(make_axis(all_values(), kMaxAcross)),
        bottom_(kRowHeight * static_cast<double>(rows_.size() + 1)),
        drawing_(
            std::move(id), bottom_ + kAxisHeight, title,
            "Diamonds: published values; short strokes: published bounds; dots: our values, with "
            "one standard error; long strokes: targets. The table below gives the same figures.") {}

  std::string markup() {
    for (const double tick : axis_.ticks) {
      const double x = axis_.position(tick);
      drawing_.line("grid", x, kRowHeight, x, bottom_);
      const Anchor anchor = x < 0.06 ? Anchor::kStart : x > 0.94 ? Anchor::kEnd : Anchor::kMiddle;
      drawing_.text("tick", x, bottom_ + 16, anchor, axis_.label(tick));
    }
    for (size_t i = 0; i < rows_.size(); ++i)
      draw_row(*rows_[i], kRowHeight * (static_cast<double>(i) + 1.5));
    return drawing_.markup();
  }

 private:
  static double error_of(double standard_error) {
    return std::isfinite(standard_error) ? standard_error : 0;
  }

  std::vector<double> all_values() const {
    std::vector<double> values;
    const auto add = [&](double mean, double error) {
      values.insert(values.end(), {mean - error_of(error), mean + error_of(error)});
    };
    for (const ReproductionRow* row : rows_) {
      if (row->published) add(row->published->mean, row->published->standard_error);
      if (row->target) add(row->target->mean, 0);
      add(row->ours, row->standard_error);
    }
    return values;
  }

  void draw_bar(std::string_view style, double mean, double standard_error, double y) {
    const double error = error_of(standard_error);
    if (error > 0)
      drawing_.line(style, axis_.position(mean - error), y, axis_.position(mean + error), y);
  }

  void draw_row(const ReproductionRow& row, double y) {
    constexpr double kApart = 6;
    if (row.target) {
      const double x = axis_.position(row.target->mean);
      drawing_.line("zero", x, y - 11, x, y + 11);
    }
    if (row.published) {
      draw_bar("bar second", row.published->mean, row.published->standard_error, y - kApart);
      const double x = axis_.position(row.published->mean);
      if (is_bound(*row.published)) {
        drawing_.line("bar second", x, y - kApart - 5, x, y - kApart + 5);
      } else {
        drawing_.diamond("mark second", x, y - kApart, 5,
                         fmt::format("published: {:.4g}", row.published->mean));
      }
    }
    if (!std::isfinite(row.ours)) return;
    draw_bar("bar", row.ours, row.standard_error, y + kApart);
    drawing_.dot("dot", axis_.position(row.ours), y + kApart, 4.5,
                 fmt::format("ours: {:.4g}", row.ours));
  }

  std::vector<const ReproductionRow*> rows_;
  Axis axis_;
  double bottom_;
  Drawing drawing_;
};

/// The mean over seeds of column c of a method, position by position.
Line mean_line(const ReproductionReport& report, const std::string& method, size_t c,
               const std::string& name) {
  std::map<double, std::pair<double, int>> sums;
  for (const ReproductionCurve& curve : report.curves) {
    if (curve.method != method) continue;
    for (const ReproductionPoint& point : curve.points) {
      auto& [sum, count] = sums[point.position];
      sum += point.values[c];
      ++count;
    }
  }
  Line line{name, {}};
  for (const auto& [position, total] : sums)
    line.points.emplace_back(position, total.first / total.second);
  return line;
}

/// Returns whether positions, such as budgets from 0.005 to 50, need a logarithmic axis.
bool spans_ratios(const std::vector<Line>& lines) {
  constexpr double kManyTimes = 100;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Line& line : lines) {
    for (const auto& [x, y] : line.points) {
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      least = std::min(least, x);
      most = std::max(most, x);
    }
  }
  return least > 0 && most >= kManyTimes * least;
}

/// The words that both names begin with, including the blank after them: "loss " for "loss M" and
/// "loss F".
std::string_view common_words(std::string_view a, std::string_view b) {
  const size_t length =
      static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const size_t blank = a.substr(0, length).rfind(' ');
  return blank == std::string_view::npos ? "" : a.substr(0, blank + 1);
}

/// The mean over seeds of a metric, or of the parameter, at each position of a method's runs; NaN
/// for the parameter of runs that follow none.
std::vector<double> means_of(const ReproductionReport& report, const std::string& method,
                             const std::string& metric) {
  const auto column = std::ranges::find(report.columns, metric);
  const bool is_position = column == report.columns.end();
  const size_t c = is_position ? 0 : static_cast<size_t>(column - report.columns.begin());
  std::vector<double> means;
  for (const auto& [position, mean] : mean_line(report, method, c, method).points)
    means.push_back(!is_position                 ? mean
                    : position == kUnconstrained ? std::numeric_limits<double>::quiet_NaN()
                                                 : position);
  return means;
}

/// Our figure of a metric of a method; NaN if there is none.
double our_figure(const ReproductionReport& report, const std::string& method,
                  const std::string& metric) {
  const auto row = std::ranges::find_if(report.rows, [&](const ReproductionRow& one) {
    return one.method == method && one.metric == metric;
  });
  return row == report.rows.end() ? std::numeric_limits<double>::quiet_NaN() : row->ours;
}

std::string matrix_chart(const ReproductionReport& report, const ReproductionChart& chosen) {
  HeatMap map{chosen.title, chosen.methods, {}};
  for (const std::string& method : chosen.methods) {
    std::vector<double>& values = map.values.emplace_back();
    for (const std::string& other : chosen.methods)
      values.push_back(our_figure(report, chosen.prefix + method, fill_in(chosen.matrix, other)));
  }
  return heat_map(map);
}

}  // namespace

std::string comparison_chart(const ReproductionReport& report, const std::string& metric,
                             size_t number) {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow& row : report.rows)
    if (row.metric == metric && (row.published || std::isfinite(row.ours))) rows.push_back(&row);
  if (std::ranges::none_of(rows,
                           [](const ReproductionRow* row) { return row->published.has_value(); }))
    return "";
  const std::string title =
      rows.front()->unit.empty() ? metric : fmt::format("{}, {}", metric, rows.front()->unit);
  std::string names = element("li", {{"class", "head"}}, "method");
  std::string figures = element("li", {{"class", "head"}}, "verdict");
  for (const ReproductionRow* row : rows) {
    names += element(
        "li", {{"class", "row"}},
        element("span", {{"class", "name"}, {"title", row->method}}, escape_markup(row->method)));
    figures += text_element("li", to_string(row->verdict));
  }
  return element(
             "figure", {{"class", "dots"}},
             element("figcaption", {}, escape_markup(title)) +
                 element("div", {{"class", "rows"}},
                         element("ol", {{"class", "names"}}, names) +
                             element("div", {{"class", "plot"}},
                                     ComparisonDrawing(fmt::format("chart-{}", number), title, rows)
                                         .markup()) +
                             element("ol", {{"class", "figures"}}, figures))) +
         "\n";
}

std::string curve_charts(const ReproductionReport& report) {
  std::vector<std::string> methods;
  for (const ReproductionCurve& curve : report.curves)
    if (!contains(methods, curve.method)) methods.push_back(curve.method);
  std::string charts;
  for (size_t c = 0; c < report.columns.size(); c += 2) {
    for (const std::string& method : methods) {
      LineChart chart;
      chart.id = fmt::format("curve-{}-{}", c, method);
      const size_t end = std::min(c + 2, report.columns.size());
      // A line has little room at its end, so the common words go into the title.
      const std::string common(end == c + 2 ? common_words(report.columns[c], report.columns[c + 1])
                                            : "");
      std::vector<std::string> names;
      for (size_t i = c; i < end; ++i) {
        names.push_back(report.columns[i].substr(common.size()));
        chart.lines.push_back(mean_line(report, method, i, names.back()));
      }
      chart.title = fmt::format("{}: {}{}", method, common, fmt::join(names, " and "));
      chart.description = chart.title + ", mean over seeds; curves.csv has the figures.";
      chart.axis_label = report.position;
      chart.is_logarithmic =
          report.position != "step" && report.position != "epoch" && spans_ratios(chart.lines);
      charts += line_chart(chart);
    }
  }
  return charts;
}

std::string chosen_charts(const ReproductionReport& report) {
  std::string charts;
  for (size_t i = 0; i < report.charts.size(); ++i) {
    const ReproductionChart& chosen = report.charts[i];
    if (!chosen.matrix.empty()) {
      charts += matrix_chart(report, chosen);
      continue;
    }
    LineChart chart;
    chart.id = fmt::format("chart-of-means-{}", i);
    chart.title = fmt::format("{}: {} against {}", chosen.title, chosen.up, chosen.across);
    chart.description = chart.title + ", means over seeds; curves.csv has the figures.";
    chart.axis_label = chosen.across;
    chart.marks_points = true;
    Line slack{"slack", {}};
    for (const std::string& method : chosen.methods) {
      Line line{method, {}};
      const std::vector<double> across = means_of(report, chosen.prefix + method, chosen.across);
      const std::vector<double> up = means_of(report, chosen.prefix + method, chosen.up);
      for (size_t p = 0; p < across.size(); ++p) line.points.emplace_back(across[p], up[p]);
      if (slack.points.empty())
        for (const double bound : across) slack.points.emplace_back(bound, bound);
      chart.lines.push_back(std::move(line));
    }
    if (chosen.has_slack()) chart.lines.push_back(std::move(slack));
    chart.is_logarithmic = spans_ratios(chart.lines);
    charts += line_chart(chart);
  }
  return charts;
}

}  // namespace equinoise
