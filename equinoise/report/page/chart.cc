// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "equinoise/base/lists.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/markup.h"
#include "equinoise/report/page/svg.h"

namespace equinoise {

namespace {

using Anchor = Drawing::Anchor;

// Also the heights of the rows of text in the style sheet, html_page.cc.
constexpr double kRowHeight = 30;
constexpr double kTotalGap = 10;
constexpr double kAxisHeight = 24;

/// The most characters of axis labels that fit across a drawing on a telephone.
constexpr size_t kMaxAcross = 32;
constexpr size_t kAnyNumber = 1000;

/// Keeps the kMaxChartRows rows of the greatest weight, in their order.
void keep_heaviest(std::vector<DotRow>& rows, const std::vector<double>& weights) {
  std::vector<size_t> order = numbers_below(rows.size());
  const auto weight = [&](size_t i) { return std::isnan(weights[i]) ? -HUGE_VAL : weights[i]; };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return weight(a) > weight(b); });
  order.resize(kMaxChartRows);
  std::ranges::sort(order);
  std::vector<DotRow> kept;
  kept.reserve(order.size());
  for (const size_t i : order) kept.push_back(std::move(rows[i]));
  rows = std::move(kept);
}

std::string name_item(const DotRow& row, std::string_view style) {
  return element(
      "li", {{"class", std::string(style)}},
      element("span", {{"class", "name"}, {"title", row.name}}, escape_markup(row.name)) +
          element("span", {{"class", "size"}}, escape_markup(row.size)));
}

/// "0.0213", "0.0213 (0.0080)" with its yardstick
std::string error_text(const DotRow& row) {
  const double error = row.estimate.value;
  if (!std::isfinite(error)) return "-";
  if (!std::isfinite(row.yardstick)) return fmt::format("{:.4f}", error);
  return fmt::format("{:.4f} ({:.4f})", error, row.yardstick);
}

bool has_interval(const DotChart& chart) {
  const auto has_ends = [](const DotRow& row) {
    return !std::isnan(row.estimate.interval.low) && !std::isnan(row.estimate.interval.high);
  };
  return has_ends(chart.total) || std::ranges::any_of(chart.rows, has_ends);
}

/// The figures of rows as text, and the head above them.
class RowTexts {
 public:
  explicit RowTexts(const DotChart& chart)
      : are_errors_(chart.kind == DotKind::kErrors),
        have_yardsticks_(std::ranges::any_of(
            chart.rows, [](const DotRow& row) { return std::isfinite(row.yardstick); })),
        has_intervals_(has_interval(chart)),
        precision_(chart.metric, chart.total.estimate) {}

  std::string head() const {
    if (!are_errors_) return has_intervals_ ? "estimate [95 %]" : "estimate";
    return have_yardsticks_ ? "error (bootstrap)" : "error";
  }

  std::string text_of(const DotRow& row) const {
    if (!row.text.empty()) return row.text;
    return are_errors_ ? error_text(row) : precision_.compact(row.estimate);
  }

 private:
  bool are_errors_;
  bool have_yardsticks_;
  bool has_intervals_;
  Precision precision_;
};

/// The drawing between the names and the figures.
class DotDrawing {
 public:
  DotDrawing(const DotChart& chart, const RowTexts& texts)
      : chart_(chart),
        texts_(texts),
        scale_(chart.kind == DotKind::kEstimates && is_share(chart.metric) ? 100 : 1),
        axis_(make_axis(all_values(), kMaxAcross)),
        bottom_(kRowHeight * static_cast<double>(chart.rows.size() + 1) +
                (chart.has_total ? kRowHeight + kTotalGap : 0)),
        drawing_(chart.id, bottom_ + kAxisHeight, chart.title,
                 fmt::format("{}, ", chart.kind == DotKind::kErrors ? "Errors"
                                     : has_interval(chart) ? "Estimates with 95 % intervals"
                                                           : "Estimates") +
                     chart.axis_label + ". The same figures are printed next to the drawing.") {}

  std::string markup() {
    for (const double tick : axis_.ticks) {
      drawing_.line("grid", axis_.position(tick), kRowHeight, axis_.position(tick), bottom_);
      tick_label(tick, bottom_ + 16);
      if (chart_.rows.size() > 20) tick_label(tick, kRowHeight - 8);
    }
    if (std::isfinite(compared())) {
      const double x = axis_.position(compared());
      drawing_.line(chart_.compares_with_zero ? "zero" : "overall", x, kRowHeight, x, bottom_);
    }
    for (size_t i = 0; i < chart_.rows.size(); ++i)
      draw_row(chart_.rows[i], kRowHeight * (static_cast<double>(i) + 1.5), false);
    if (chart_.has_total) {
      drawing_.line("rule", 0, bottom_ - kRowHeight - kTotalGap / 2, 1,
                    bottom_ - kRowHeight - kTotalGap / 2);
      draw_row(chart_.total, bottom_ - kRowHeight / 2, true);
    }
    return drawing_.markup();
  }

 private:
  /// The value of the line with which rows are compared.
  double compared() const {
    return chart_.compares_with_zero ? 0 : scale_ * chart_.total.estimate.value;
  }

  std::vector<double> all_values() const {
    std::vector<double> values;
    const auto add = [&](const DotRow& row) {
      const auto& [value, interval, num_effective] = row.estimate;
      for (const double place : {value, interval.low, interval.high, row.yardstick})
        values.push_back(scale_ * place);
    };
    for (const DotRow& row : chart_.rows) add(row);
    if (chart_.has_total) add(chart_.total);
    if (chart_.compares_with_zero) values.push_back(0);
    return values;
  }

  void tick_label(double tick, double y) {
    const double x = axis_.position(tick);
    const Anchor anchor = x < 0.03 ? Anchor::kStart : x > 0.97 ? Anchor::kEnd : Anchor::kMiddle;
    drawing_.text("tick", x, y, anchor, axis_.label(tick));
  }

  void draw_row(const DotRow& row, double y, bool is_total) {
    const double value = row.estimate.value;
    const Interval& interval = row.estimate.interval;
    if (!std::isfinite(value)) {
      drawing_.text("none", 0.5, y + 4, Anchor::kMiddle, "no estimate");
      return;
    }
    if (!std::isnan(interval.low) && !std::isnan(interval.high)) {
      const double low = axis_.position(scale_ * interval.low);
      const double high = axis_.position(scale_ * interval.high);
      drawing_.line("bar", low, y, high, y);
      drawing_.line("bar", low, y - 4, low, y + 4);
      drawing_.line("bar", high, y - 4, high, y + 4);
    }
    if (std::isfinite(row.yardstick)) {
      const double x = axis_.position(scale_ * row.yardstick);
      drawing_.line("bar second", x, y - 8, x, y + 8);
    }
    const double x = axis_.position(scale_ * value);
    const std::string title = fmt::format("{}: {}", row.name, texts_.text_of(row));
    if (is_total) {
      drawing_.diamond("dot", x, y, 6, title);
    } else {
      drawing_.dot("dot", x, y, 4.5, title);
    }
  }

  const DotChart& chart_;
  const RowTexts& texts_;
  double scale_;
  Axis axis_;
  double bottom_;
  Drawing drawing_;
};

bool is_point(double x, double y) { return std::isfinite(x) && std::isfinite(y); }

/// The name of a line, next to its end.
struct LineLabel {
  double height = 0;  ///< pixels from the top
  size_t line = 0;
};

/// Moves labels down, and up at the lower end, so that they do not overlap.
void move_apart(std::vector<LineLabel>& labels, double bottom) {
  constexpr double kDistance = 16;
  std::ranges::stable_sort(labels, {}, &LineLabel::height);
  for (size_t i = 1; i < labels.size(); ++i)
    labels[i].height = std::max(labels[i].height, labels[i - 1].height + kDistance);
  for (size_t i = labels.size(); i-- > 0; bottom -= kDistance)
    labels[i].height = std::min(labels[i].height, bottom);
}

/// The horizontal places of a curve's intervals, 0 to 1, and labels of their ends.
class CurveAxis {
 public:
  explicit CurveAxis(const std::vector<CurvePart>& parts) : parts_(parts) {
    const double range = parts.back().to - parts.front().from;
    double share_of_narrow = 0;
    for (const CurvePart& part : parts)
      if (part.to - part.from < kNarrow * range) share_of_narrow += part.share;
    is_even_ = share_of_narrow > kMaxNarrow;
    axis_ = make_axis({parts.front().from, parts.back().to}, kMaxAcross);
  }

  /// All intervals have one width, because too many records are in intervals that cannot be seen.
  bool is_even() const { return is_even_; }

  double start_of(size_t part) const {
    if (!is_even_)
      return axis_.position(part < parts_.size() ? parts_[part].from : parts_.back().to);
    return static_cast<double>(part) / static_cast<double>(parts_.size());
  }

  std::vector<std::pair<double, std::string>> ticks() const {
    std::vector<std::pair<double, std::string>> found;
    if (!is_even_) {
      for (const double tick : axis_.ticks)
        found.emplace_back(axis_.position(tick), axis_.label(tick));
      return found;
    }
    for (size_t distance = 1;; ++distance) {
      found.clear();
      size_t characters = 0;
      for (size_t part = 0; part < parts_.size(); part += distance) {
        const double from = parts_[part].from;
        found.emplace_back(start_of(part),
                           from == std::floor(from) ? format_fixed(from, 0) : format_amount(from));
        characters += found.back().second.size() + 1;
      }
      if (characters <= kMaxAcross || found.size() == 1) return found;
    }
  }

 private:
  static constexpr double kNarrow = 0.01;    // of the range
  static constexpr double kMaxNarrow = 0.1;  // of records

  const std::vector<CurvePart>& parts_;
  bool is_even_ = false;
  Axis axis_;
};

}  // namespace

std::string dot_chart(DotChart chart, const std::vector<double>& weights,
                      std::string_view selection) {
  const size_t num_groups = chart.rows.size();
  if (num_groups > kMaxChartRows) keep_heaviest(chart.rows, weights);

  std::string names = name_item({chart.name_head, chart.size_head, {}}, "head");
  const RowTexts texts(chart);
  std::string figures = element("li", {{"class", "head"}}, texts.head());
  for (const DotRow& row : chart.rows) {
    names += name_item(row, "row");
    figures += text_element("li", texts.text_of(row));
  }
  if (chart.has_total) {
    names += name_item(chart.total, "total");
    figures += element("li", {{"class", "total"}}, escape_markup(texts.text_of(chart.total)));
  }

  std::string caption = escape_markup(chart.title);
  if (num_groups > kMaxChartRows) {
    caption +=
        element("span", {{"class", "selection"}},
                escape_markup(fmt::format("Of {} {}, only the {} with {} are drawn{}",
                                          format_count(static_cast<int64_t>(num_groups)),
                                          chart.rows_are, kMaxChartRows, selection,
                                          chart.has_total ? "; the table lists all." : ".")));
  }
  return html_figure(
      "dots", caption,
      element("div", {{"class", "rows"}},
              element("ol", {{"class", "names"}}, names) +
                  element("div", {{"class", "plot"}}, DotDrawing(chart, texts).markup()) +
                  element("ol", {{"class", "figures"}}, figures) +
                  element("p", {{"class", "axis"}}, escape_markup(chart.axis_label))));
}

std::string line_chart(const LineChart& chart) {
  constexpr double kLeft = 0.11;
  constexpr double kRight = 0.83;
  constexpr double kTop = 12;
  constexpr double kBottom = 232;
  constexpr double kHeight = kBottom + 24;
  constexpr std::array<const char*, 3> kSeries = {"first", "second", "third"};

  std::vector<double> all_x;
  if (!chart.marks_points && !chart.is_logarithmic) all_x = {0, 1};
  std::vector<double> all_y;
  for (const Line& line : chart.lines) {
    for (const auto& [x, y] : line.points) {
      if (!is_point(x, y)) continue;
      all_x.push_back(x);
      all_y.push_back(y);
    }
  }
  if (all_y.empty()) return "";
  const Axis across = chart.is_logarithmic ? make_logarithmic_axis(all_x, kMaxAcross)
                                           : make_axis(all_x, kMaxAcross);
  const Axis down = make_axis(all_y, kAnyNumber);
  const auto place_x = [&](double share) { return kLeft + (kRight - kLeft) * share; };
  const auto place_y = [&](double share) { return kBottom - (kBottom - kTop) * share; };

  Drawing drawing(chart.id, kHeight, chart.title, chart.description);
  for (const double tick : down.ticks) {
    const double y = place_y(down.position(tick));
    drawing.line("grid", kLeft, y, kRight, y);
    drawing.text("tick", kLeft - 0.01, y + 4, Anchor::kEnd, down.label(tick));
  }
  for (const double tick : across.ticks) {
    const double x = place_x(across.position(tick));
    drawing.line("grid", x, kBottom, x, kBottom + 5);
    drawing.text("tick", x, kBottom + 20, Anchor::kMiddle, across.label(tick));
  }
  drawing.line("rule", kLeft, kBottom, kRight, kBottom);

  std::vector<LineLabel> labels;
  for (size_t i = 0; i < chart.lines.size(); ++i) {
    const std::string series = kSeries.at(i);
    std::vector<std::pair<double, double>> points;
    std::vector<std::string> titles;
    for (const auto& [x, y] : chart.lines[i].points) {
      if (!is_point(x, y)) continue;
      points.emplace_back(across.position(x), 1 - down.position(y));
      titles.push_back(fmt::format("{} at {:.6g}: {:.4g}", chart.lines[i].name, x, y));
    }
    if (points.empty()) continue;
    if (points.size() > 1) drawing.path("curve " + series, kLeft, kTop, kRight, kBottom, points);
    for (size_t p = chart.marks_points ? 0 : points.size() - 1; p < points.size(); ++p) {
      const double x = place_x(points[p].first);
      const double y = kTop + (kBottom - kTop) * points[p].second;
      if (i == 1) {
        drawing.diamond("mark " + series, x, y, 5, titles[p]);
      } else {
        drawing.dot("mark " + series, x, y, 4, titles[p]);
      }
    }
    labels.push_back({kTop + (kBottom - kTop) * points.back().second, i});
  }
  move_apart(labels, kBottom);
  for (const LineLabel& label : labels) {
    drawing.text(fmt::format("name {}", kSeries.at(label.line)), kRight + 0.012, label.height + 4,
                 Anchor::kStart, chart.lines[label.line].name);
  }
  std::string label = chart.axis_label;
  if (!chart.up_label.empty()) label += "; upwards: " + chart.up_label;
  return html_figure("curves", escape_markup(chart.title),
                     drawing.markup() + element("p", {{"class", "axis"}}, escape_markup(label)));
}

std::string curve_chart(const CurveChart& chart) {
  constexpr double kLeft = 0.13;
  constexpr double kRight = 0.98;
  constexpr double kTop = 10;
  constexpr double kBottom = 160;
  constexpr double kTopOfShares = 174;
  constexpr double kBottomOfShares = 210;
  constexpr double kHeight = kBottomOfShares + 24;
  constexpr double kMinWidth = 0.004;

  const CurveAxis across(chart.parts);
  std::vector<double> heights = {0};
  std::vector<double> densities;
  for (size_t i = 0; i < chart.parts.size(); ++i) {
    const CurvePart& part = chart.parts[i];
    heights.insert(heights.end(), {part.start, part.end});
    densities.push_back(part.share /
                        std::max(across.start_of(i + 1) - across.start_of(i), kMinWidth));
  }
  const double most = *std::max_element(densities.begin(), densities.end());
  const Axis up = make_axis(heights, kAnyNumber);
  const auto place_x = [&](double share) { return kLeft + (kRight - kLeft) * share; };
  const auto place_y = [&](double value) {
    return kBottom - (kBottom - kTop) * up.position(value);
  };

  Drawing drawing(chart.id, kHeight, chart.title, chart.description);
  for (const double tick : up.ticks) {
    const double y = place_y(tick);
    drawing.line(tick == 0 ? "zero" : "grid", kLeft, y, kRight, y);
    drawing.text("tick", kLeft - 0.01, y + 4, Anchor::kEnd, up.label(tick));
  }
  for (const auto& [place, label] : across.ticks()) {
    const double x = place_x(place);
    drawing.line("grid", x, kBottomOfShares, x, kBottomOfShares + 5);
    drawing.text("tick", x, kBottomOfShares + 20, Anchor::kMiddle, label);
  }
  drawing.line("rule", kLeft, kBottomOfShares, kRight, kBottomOfShares);

  std::vector<std::pair<double, double>> curve;
  std::vector<std::pair<double, double>> shares = {{across.start_of(0), 1}};
  for (size_t i = 0; i < chart.parts.size(); ++i) {
    const CurvePart& part = chart.parts[i];
    const double from = across.start_of(i);
    const double to = across.start_of(i + 1);
    curve.insert(curve.end(),
                 {{from, 1 - up.position(part.start)}, {to, 1 - up.position(part.end)}});
    const double height = most > 0 ? 1 - densities[i] / most : 1;
    shares.insert(shares.end(), {{from, height}, {to, height}});
  }
  shares.emplace_back(across.start_of(chart.parts.size()), 1);
  drawing.path("shares", kLeft, kTopOfShares, kRight, kBottomOfShares, shares);
  drawing.path("curve first", kLeft, kTop, kRight, kBottom, curve);
  for (size_t i = 0; i < chart.parts.size(); ++i) {
    const CurvePart& part = chart.parts[i];
    const double from = place_x(across.start_of(i));
    drawing.rectangle(
        "pointed", from, kTop, place_x(across.start_of(i + 1)) - from, kBottomOfShares - kTop,
        fmt::format("{}: {}, {} % of records", part.name, part.text, format_percent(part.share)));
  }
  return html_figure(
      "curves", escape_markup(chart.title),
      drawing.markup() +
          element(
              "p", {{"class", "axis"}},
              escape_markup(chart.axis_label +
                            (across.is_even() ? "; all intervals are drawn equally wide" : ""))));
}

std::string budget_chart(const std::string& id, const LedgerStatement& ledger) {
  const double budget = ledger.budget.epsilon.value();
  const double before = ledger.spent_before.epsilon.value();
  const double after = ledger.spent_after.epsilon.value();
  const double whole = std::max(budget, after);
  const std::string in_words = fmt::format(
      "Budget epsilon {} at delta {}: spent before {}, with this run {}, left {}",
      format_epsilon(ledger.budget.epsilon), ledger.budget.delta.value(),
      format_epsilon(ledger.spent_before.epsilon), format_epsilon(ledger.spent_after.epsilon),
      format_amount(std::max(0.0, budget - after)));
  constexpr double kHeight = 30;
  struct Part {
    std::string style;
    std::string name;
    double from;  ///< epsilon
    double to;
    std::string amount;
  };
  const Part parts[] = {
      {"before", "spent before", 0, before, format_epsilon(ledger.spent_before.epsilon)},
      {"run", "added by this run", before, after, format_amount(std::max(0.0, after - before))},
      {"left", "left", after, budget, format_amount(std::max(0.0, budget - after))}};
  Drawing drawing(id, kHeight, "Privacy budget", in_words);
  std::string keys;
  for (const Part& part : parts) {
    keys += element("li", {},
                    element("span", {{"class", "key " + part.style}}, "") +
                        escape_markup(fmt::format("{}: {}", part.name, part.amount)));
    if (!(whole > 0)) continue;
    const double from = part.from / whole;
    const double width = std::max(0.0, part.to - part.from) / whole;
    drawing.rectangle(part.style, from, 1, width, kHeight - 2,
                      fmt::format("{}: epsilon {}", part.name, part.amount));
  }
  return html_figure("budget", escape_markup(in_words),
                     drawing.markup() + element("ul", {{"class", "keys"}}, keys));
}

}  // namespace equinoise
