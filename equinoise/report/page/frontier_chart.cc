// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/frontier_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/format.h"
#include "equinoise/report/page/markup.h"
#include "equinoise/report/page/svg.h"

namespace equinoise {

namespace {

// Shares of the width; on a telephone kLongestName characters fit behind kNames.
constexpr double kPlotLeft = 0.1;
constexpr double kPlotRight = 0.6;
constexpr double kNames = 0.635;
constexpr size_t kLongestName = 21;
// Pixels.
constexpr double kPlotTop = 28;
constexpr double kLeastHeight = 300;
constexpr double kNameHeight = 17;
constexpr double kTicksHeight = 24;
/// Characters of ticks that fit below the plot on a telephone.
constexpr size_t kTicksAcross = 20;
constexpr size_t kTicksUp = 1000;

bool is_drawn(const FrontierPoint& point) {
  return std::isfinite(point.x.value) && std::isfinite(point.y.value);
}

/// At most kLongestName characters of UTF-8, without those in the middle: names of one method
/// differ at their ends. A table below the chart has the whole name.
std::string shortened(const std::string& name) {
  std::vector<size_t> begins;  // of characters
  for (size_t i = 0; i < name.size(); ++i)
    if ((static_cast<unsigned char>(name[i]) & 0xC0) != 0x80) begins.push_back(i);
  if (begins.size() <= kLongestName) return name;
  constexpr size_t kAtEnd = kLongestName / 2;
  return name.substr(0, begins[kLongestName - kAtEnd - 1]) + "\xE2\x80\xA6" +
         name.substr(begins[begins.size() - kAtEnd]);
}

bool has_intervals(const FrontierChart& chart) {
  return std::any_of(chart.points.begin(), chart.points.end(), [](const FrontierPoint& point) {
    return std::isfinite(point.x.interval.low) || std::isfinite(point.y.interval.low);
  });
}

/// Which style the marks of a point have, besides their shape.
std::string_view style_of(FrontierStanding standing) {
  switch (standing) {
    case FrontierStanding::kRecommended:
    case FrontierStanding::kNotDominated:
      return "best";
    case FrontierStanding::kReference:
      return "reference";
    case FrontierStanding::kDominated:
    case FrontierStanding::kNotCompared:
      break;
  }
  return "rest";
}

/// Pixels.
double radius_of(FrontierStanding standing) {
  return standing == FrontierStanding::kRecommended ? 7 : 4.5;
}

/// The name of a point, beside the plot.
struct PointName {
  double height = 0;  ///< pixels from the top
  size_t point = 0;
};

/// Moves names, downwards and where the room ends upwards, so that each has a line.
void give_lines(std::vector<PointName>& names, double bottom) {
  std::stable_sort(names.begin(), names.end(),
                   [](const PointName& a, const PointName& b) { return a.height < b.height; });
  for (size_t i = 1; i < names.size(); ++i)
    names[i].height = std::max(names[i].height, names[i - 1].height + kNameHeight);
  for (size_t i = names.size(); i-- > 0; bottom -= kNameHeight)
    names[i].height = std::min(names[i].height, bottom);
}

class FrontierDrawing {
 public:
  explicit FrontierDrawing(const FrontierChart& chart)
      : chart_(chart),
        scale_(chart.is_share ? 100 : 1),
        bottom_(kPlotTop +
                std::max(kLeastHeight, kNameHeight * static_cast<double>(chart.points.size()))),
        across_(make_axis(values(&FrontierPoint::x), kTicksAcross)),
        up_(make_axis(values(&FrontierPoint::y), kTicksUp)),
        drawing_(chart.id, bottom_ + kTicksHeight, chart.title,
                 fmt::format(
                     "Across: {}. Up: {}. {}The table of all rows has the same figures.",
                     chart.x_label, chart.y_label,
                     has_intervals(chart) ? "Bars are 95 % intervals, as far as they fit. " : "")) {
    for (size_t i = 0; i < chart.points.size(); ++i)
      names_.push_back({place_y(chart.points[i].y.value), i});
    give_lines(names_, bottom_);
  }

  std::string markup() {
    draw_axes();
    for (const PointName& name : names_) draw_name(name);
    // Those that stand best are above the others.
    for (size_t i = chart_.points.size(); i-- > 0;) draw_intervals(chart_.points[i]);
    for (size_t i = chart_.points.size(); i-- > 0;) draw_mark(chart_.points[i]);
    return drawing_.markup();
  }

 private:
  /// The name of a point with both figures.
  std::string title_of(const FrontierPoint& point) const {
    const auto figure = [&](const std::string& label, const Estimate& estimate) {
      const Precision precision(chart_.is_share ? "error" : "", estimate);
      return fmt::format("{}: {}", label, precision.compact(estimate));
    };
    return fmt::format("{}\n{}\n{}", point.name, figure(chart_.x_label, point.x),
                       figure(chart_.y_label, point.y));
  }

  /// What an axis is to hold: all figures, and intervals as far as that at most triples it.
  std::vector<double> values(Estimate FrontierPoint::*figure) const {
    std::vector<double> found;
    for (const FrontierPoint& point : chart_.points)
      found.push_back(scale_ * (point.*figure).value);
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    const double low = *least;
    const double high = *most;
    for (const FrontierPoint& point : chart_.points) {
      const Interval& interval = (point.*figure).interval;
      const double room = high > low ? high - low : HUGE_VAL;
      found.push_back(std::max(scale_ * interval.low, low - room));
      found.push_back(std::min(scale_ * interval.high, high + room));
    }
    return found;
  }

  double place_x(double value) const {
    return kPlotLeft + (kPlotRight - kPlotLeft) * across_.position(scale_ * value);
  }
  double place_y(double value) const {
    return bottom_ - (bottom_ - kPlotTop) * up_.position(scale_ * value);
  }

  void draw_axes() {
    drawing_.text("tick", 0, 14, Drawing::Anchor::kStart, chart_.y_label);
    for (const double tick : up_.ticks) {
      const double y = bottom_ - (bottom_ - kPlotTop) * up_.position(tick);
      drawing_.line("grid", kPlotLeft, y, kPlotRight, y);
      drawing_.text("tick", kPlotLeft - 0.01, y + 4, Drawing::Anchor::kEnd, up_.label(tick));
    }
    for (const double tick : across_.ticks) {
      const double x = kPlotLeft + (kPlotRight - kPlotLeft) * across_.position(tick);
      drawing_.line("grid", x, kPlotTop, x, bottom_ + 5);
      drawing_.text("tick", x, bottom_ + 20, Drawing::Anchor::kMiddle, across_.label(tick));
    }
    drawing_.line("rule", kPlotLeft, bottom_, kPlotRight, bottom_);
  }

  void draw_name(const PointName& name) {
    const FrontierPoint& point = chart_.points[name.point];
    drawing_.line("leader", place_x(point.x.value), place_y(point.y.value), kNames - 0.01,
                  name.height);
    drawing_.text(fmt::format("name {}", style_of(point.standing)), kNames, name.height + 4,
                  Drawing::Anchor::kStart, shortened(point.name));
  }

  void draw_intervals(const FrontierPoint& point) {
    const std::string style = fmt::format("bar {}", style_of(point.standing));
    const auto is_interval = [](const Interval& interval) {
      return !std::isnan(interval.low) && !std::isnan(interval.high);
    };
    const double x = place_x(point.x.value);
    const double y = place_y(point.y.value);
    const Interval& across = point.x.interval;
    const Interval& up = point.y.interval;
    if (is_interval(across)) drawing_.line(style, place_x(across.low), y, place_x(across.high), y);
    if (is_interval(up)) drawing_.line(style, x, place_y(up.low), x, place_y(up.high));
  }

  void draw_mark(const FrontierPoint& point) {
    const double x = place_x(point.x.value);
    const double y = place_y(point.y.value);
    const std::string style = fmt::format("mark {}", style_of(point.standing));
    if (point.standing == FrontierStanding::kReference) {
      drawing_.diamond(style, x, y, 6, title_of(point));
    } else {
      drawing_.dot(style, x, y, radius_of(point.standing), title_of(point));
    }
  }

  const FrontierChart& chart_;
  double scale_;
  double bottom_;
  Axis across_;
  Axis up_;
  Drawing drawing_;
  std::vector<PointName> names_;
};

}  // namespace

std::string frontier_chart(FrontierChart chart) {
  std::vector<FrontierPoint>& points = chart.points;
  std::erase_if(points, [](const FrontierPoint& point) { return !is_drawn(point); });
  if (points.empty()) return "";
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return a.standing != b.standing ? a.standing < b.standing : a.x.value < b.x.value;
  });
  std::string caption = escape_markup(chart.title);
  if (points.size() > kMaxFrontierPoints) {
    caption += element("span", {{"class", "selection"}},
                       fmt::format("Of {} rows, only {} are drawn, those that stand best first; "
                                   "the table lists all.",
                                   points.size(), kMaxFrontierPoints));
    points.resize(kMaxFrontierPoints);
  }
  return html_figure("frontier", caption,
                     FrontierDrawing(chart).markup() +
                         element("p", {{"class", "axis"}}, escape_markup(chart.x_label)));
}

}  // namespace equinoise
