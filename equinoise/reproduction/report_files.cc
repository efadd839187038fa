#include "equinoise/reproduction/report_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "equinoise/report/chart.h"
#include "equinoise/report/format.h"
#include "equinoise/report/html_page.h"
#include "equinoise/report/json.h"
#include "equinoise/report/markup.h"
#include "equinoise/report/svg.h"
#include "equinoise/report/tables.h"
#include "equinoise/report/text.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
using Anchor = Drawing::Anchor;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json mean_of(const std::optional<PrintedValue>& value) {
  return value ? Json(value->mean) : Json(nullptr);
}

Json error_of(const std::optional<PrintedValue>& value) {
  return value && value->standard_error > 0 ? Json(value->standard_error) : Json(nullptr);
}

Json bound_of(const std::optional<PrintedValue>& value) {
  if (!value || value->kind == PrintedValue::Kind::kFigure) return nullptr;
  return value->kind == PrintedValue::Kind::kAtMost ? "<=" : ">=";
}

std::string text_of(const std::optional<PrintedValue>& value) { return value ? value->text : "-"; }

/// With one decimal more than the published figure; without one, four significant digits.
std::string ours_of(const ReproductionRow& row) {
  if (!std::isfinite(row.ours)) return "-";
  const bool has_error = std::isfinite(row.standard_error);
  if (!row.published) {
    // What rounding leaves of equal figures is no figure.
    const bool is_none = has_error && std::fabs(row.ours) < 1e-9 * row.standard_error;
    const std::string mean = fmt::format("{:.4g}", is_none ? 0 : row.ours);
    return has_error ? fmt::format("{} +- {:.2g}", mean, row.standard_error) : mean;
  }
  const int decimals = row.published->decimals + 1;
  std::string mean = fmt::format("{:.{}f}", row.ours, decimals);
  // Never "-0.00".
  if (mean.find_first_of("123456789") == std::string::npos && mean.starts_with("-"))
    mean.erase(0, 1);
  return has_error ? fmt::format("{} +- {:.{}f}", mean, row.standard_error, decimals) : mean;
}

/// Reasons in the order of their first row, each with its number from 1.
class Reasons {
 public:
  /// "[2]", or "" for no reason.
  std::string mark(const std::string& reason) {
    if (reason.empty()) return "";
    const auto [place, is_new] = numbers_.emplace(reason, texts_.size() + 1);
    if (is_new) texts_.push_back(reason);
    return fmt::format("[{}]", place->second);
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, size_t> numbers_;
  std::vector<std::string> texts_;
};

TextTable rows_table(const ReproductionReport& report, Reasons& reasons) {
  TextTable table{"Figures, mean +- standard error over seeds",
                  {"method", "metric", "published", "target", "ours", "seeds", "verdict"},
                  {},
                  2};
  for (const ReproductionRow& row : report.rows) {
    const std::string mark = reasons.mark(row.reason);
    table.rows.push_back({row.method, row.unit.empty() ? row.metric : row.metric + " " + row.unit,
                          text_of(row.published), text_of(row.target), ours_of(row),
                          fmt::format("{}", row.num_seeds),
                          fmt::format("{} {:<4}", to_string(row.verdict), mark)});
  }
  return table;
}

TextTable tests_table(const ReproductionReport& report, Reasons& reasons) {
  TextTable table{"One-sided tests: is the first method better than the second?",
                  {"better", "than", "metric", "published", "p", "verdict"},
                  {},
                  3};
  for (const ReproductionTest& test : report.tests) {
    table.rows.push_back(
        {test.better, test.than, test.metric, test.claimed ? "significant" : "comparable",
         std::isfinite(test.p_value) ? fmt::format("{:.4f}", test.p_value) : "-",
         fmt::format("{} {:<4}", to_string(test.verdict), reasons.mark(test.reason))});
  }
  return table;
}

std::vector<std::string> numbered(const Reasons& reasons) {
  std::vector<std::string> lines;
  for (const std::string& text : reasons.texts())
    lines.push_back(fmt::format("[{}] {}", lines.size() + 1, text));
  return lines;
}

/// "reproduces 41, differs 6"
template <typename Row>
std::string count_verdicts(const std::vector<Row>& rows) {
  std::map<Verdict, int> counts;
  for (const Row& row : rows) ++counts[row.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(verdict), count);
  return text;
}

/// "figures: reproduces 41, differs 6; tests: reproduces 4"
std::string summary_of(const ReproductionReport& report) {
  std::string text = "figures: " + count_verdicts(report.rows);
  if (!report.tests.empty()) text += "; tests: " + count_verdicts(report.tests);
  return text;
}

/// "targets: 40 of 42 are met, not met are dpsgd loss M, dpsgd loss F"; "" where
/// none was compared.
std::string targets_line(const ReproductionReport& report) {
  int64_t num_compared = 0;
  std::vector<std::string> missed;
  for (const ReproductionRow& row : report.rows) {
    if (!row.meets_target) continue;
    ++num_compared;
    if (!*row.meets_target) missed.push_back(row.name());
  }
  if (num_compared == 0) return "";
  return fmt::format("targets: {} of {} are met{}{}", num_compared - std::ssize(missed),
                     num_compared, missed.empty() ? "" : ", not met are ", fmt::join(missed, ", "));
}

std::string title_of(const ReproductionReport& report) {
  return fmt::format("Reproduction of {}/{}", report.paper, report.item);
}

// Also the heights of the rows of text in the style sheet, html_page.cc.
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
        drawing_(std::move(id), bottom_ + kAxisHeight, title,
                 "Published values as diamonds, bounds as short strokes, ours as dots, with one "
                 "standard error; the target as a stroke. The same figures stand in the table "
                 "below.") {}

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
        drawing_.diamond("mark second", x, y - kApart, 5);
      }
    }
    if (!std::isfinite(row.ours)) return;
    draw_bar("bar", row.ours, row.standard_error, y + kApart);
    drawing_.dot("dot", axis_.position(row.ours), y + kApart, 4.5);
  }

  std::vector<const ReproductionRow*> rows_;
  Axis axis_;
  double bottom_;
  Drawing drawing_;
};

std::string comparison_chart(const ReproductionReport& report, const std::string& metric,
                             size_t number) {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow& row : report.rows)
    if (row.metric == metric && (row.published || std::isfinite(row.ours))) rows.push_back(&row);
  if (std::none_of(rows.begin(), rows.end(),
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

/// Whether places across, such as budgets from 0.005 to 50, are read by their ratios.
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

/// The words that both names begin with, with the blank behind them: of "loss M" and "loss F"
/// "loss ".
std::string_view common_words(std::string_view a, std::string_view b) {
  const size_t length =
      static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const size_t blank = a.substr(0, length).rfind(' ');
  return blank == std::string_view::npos ? "" : a.substr(0, blank + 1);
}

/// For each method and each two columns, which belong together, one drawing.
std::string curve_charts(const ReproductionReport& report) {
  std::vector<std::string> methods;
  for (const ReproductionCurve& curve : report.curves)
    if (std::find(methods.begin(), methods.end(), curve.method) == methods.end())
      methods.push_back(curve.method);
  std::string charts;
  for (size_t c = 0; c < report.columns.size(); c += 2) {
    for (const std::string& method : methods) {
      LineChart chart;
      chart.id = fmt::format("curve-{}-{}", c, method);
      const size_t end = std::min(c + 2, report.columns.size());
      // A line has room for little beside its end: what both have in common stands in the title.
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

/// The mean over seeds of a metric, or of the parameter, at each position of a method's runs; NaN
/// for the parameter of runs that follow none.
std::vector<double> means_of(const ReproductionReport& report, const std::string& method,
                             const std::string& metric) {
  const auto column = std::find(report.columns.begin(), report.columns.end(), metric);
  const bool is_position = column == report.columns.end();
  const size_t c = is_position ? 0 : static_cast<size_t>(column - report.columns.begin());
  std::vector<double> means;
  for (const auto& [position, mean] : mean_line(report, method, c, method).points)
    means.push_back(!is_position                 ? mean
                    : position == kUnconstrained ? std::numeric_limits<double>::quiet_NaN()
                                                 : position);
  return means;
}

/// The drawings that an item asks for.
std::string chosen_charts(const ReproductionReport& report) {
  std::string charts;
  for (size_t i = 0; i < report.charts.size(); ++i) {
    const ReproductionChart& chosen = report.charts[i];
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

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduces:
      return "reproduces";
    case Verdict::kDiffers:
      return "differs";
    case Verdict::kNotReproducible:
      return "not reproducible";
    case Verdict::kNoPublishedNumber:
      return "no published number";
    case Verdict::kSkipped:
      return "skipped";
  }
  return "";
}

Json reproduction_to_json(const ReproductionReport& report) {
  Json rows = Json::array();
  for (const ReproductionRow& row : report.rows) {
    rows.push_back({{"name", row.name()},
                    {"method", row.method},
                    {"metric", row.metric},
                    {"unit", row.unit},
                    {"published", mean_of(row.published)},
                    {"published_se", error_of(row.published)},
                    {"published_bound", bound_of(row.published)},
                    {"target", mean_of(row.target)},
                    {"target_se", error_of(row.target)},
                    {"target_bound", bound_of(row.target)},
                    {"meets_target", row.meets_target ? Json(*row.meets_target) : Json(nullptr)},
                    {"ours", number(row.ours)},
                    {"se", number(row.standard_error)},
                    {"seeds", row.num_seeds},
                    {"verdict", to_string(row.verdict)},
                    {"reason", row.reason}});
  }
  Json tests = Json::array();
  for (const ReproductionTest& test : report.tests) {
    tests.push_back({{"name", test.name()},
                     {"better", test.better},
                     {"than", test.than},
                     {"metric", test.metric},
                     {"published", test.claimed ? "significant" : "comparable"},
                     {"p", number(test.p_value)},
                     {"seeds", test.num_seeds},
                     {"verdict", to_string(test.verdict)},
                     {"reason", test.reason}});
  }
  return {{"schema", "equinoise/1"},
          {"paper", report.paper},
          {"item", report.item},
          {"summary", report.summary},
          {"status", "insecure rng"},
          {"rows", rows},
          {"tests", tests},
          {"notes", report.notes},
          {"seconds", report.seconds},
          {"files", report.files}};
}

std::string reproduction_to_text(const ReproductionReport& report) {
  Reasons reasons;
  const TextTable rows = rows_table(report, reasons);
  const TextTable tests = tests_table(report, reasons);
  std::string text = fmt::format("{}: {}\n\n", title_of(report), report.summary);
  text += format_table(rows.head, rows.rows, rows.num_left);
  if (!tests.rows.empty())
    text += "\n" + tests.caption + "\n" + format_table(tests.head, tests.rows, tests.num_left);
  text += "\n";
  for (const std::string& line : numbered(reasons)) text += line + "\n";
  text += "\n";
  for (const std::string& note : report.notes) text += note + "\n";
  text += fmt::format("\n{}; {:.0f} s\n", summary_of(report), report.seconds);
  if (const std::string targets = targets_line(report); !targets.empty()) text += targets + "\n";
  for (const std::string& file : report.files) text += "wrote " + file + "\n";
  return text;
}

std::string reproduction_to_html(const ReproductionReport& report) {
  Reasons reasons;
  const TextTable rows = rows_table(report, reasons);
  const TextTable tests = tests_table(report, reasons);
  std::vector<std::string> metrics;
  for (const ReproductionRow& row : report.rows)
    if (std::find(metrics.begin(), metrics.end(), row.metric) == metrics.end())
      metrics.push_back(row.metric);
  std::string charts;
  for (size_t i = 0; i < metrics.size(); ++i) charts += comparison_chart(report, metrics[i], i + 1);
  const std::string targets = targets_line(report);
  // Drawn records are nobody's.
  const Fence fence = report.is_drawn ? Fence::kPublishable : Fence::kNotPrivate;
  std::string body = report.is_drawn ? "" : html_banner();
  body += html_section("What was done", fence,
                       html_paragraph(report.summary + ".") + html_list(report.notes) +
                           html_paragraph("Verdicts of " + summary_of(report) + ".") +
                           (targets.empty() ? "" : html_paragraph(targets + ".")));
  if (!charts.empty()) {
    body += html_section(
        "Published and ours", fence,
        html_paragraph(
            "Diamonds: published; short strokes: published bounds. Dots: ours. Bars: one "
            "standard error. Long strokes: targets; the notes say whose.") +
            charts);
  }
  const std::string curves = report.charts.empty() ? curve_charts(report) : chosen_charts(report);
  if (!curves.empty()) body += html_section("Curves", fence, curves);
  std::string tables = html_table(rows);
  if (!tests.rows.empty()) tables += html_table(tests);
  body += html_section("Figures", fence, tables + html_list(numbered(reasons)));
  body += html_repeat(report.command, report.version, report.files);
  return html_page(title_of(report), body);
}

std::string reproduction_curves_to_csv(const ReproductionReport& report) {
  std::string text = "method,seed," + csv_cell(report.position);
  for (const std::string& column : report.columns) text += "," + csv_cell(column);
  text += "\n";
  for (const ReproductionCurve& curve : report.curves) {
    for (const ReproductionPoint& point : curve.points) {
      text += fmt::format("{},{},", csv_cell(curve.method), curve.seed);
      if (point.position != kUnconstrained) text += fmt::format("{:g}", point.position);
      for (const double value : point.values) text += fmt::format(",{:.6g}", value);
      text += "\n";
    }
  }
  return text;
}

}  // namespace equinoise
