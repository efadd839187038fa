// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/report_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

#include "equinoise/base/lists.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/reproduction/report_charts.h"

namespace equinoise {

namespace {

std::string text_of(const std::optional<PrintedValue>& value) { return value ? value->text : "-"; }

/// Our figure with one decimal more than the published one; without one, four significant digits.
std::string ours_of(const ReproductionRow& row) {
  if (!std::isfinite(row.ours)) return "-";
  const bool has_error = std::isfinite(row.standard_error);
  if (!row.published) {
    // The rounding error of equal figures is printed as 0.
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
                     num_compared, missed.empty() ? "" : "; not met: ", fmt::join(missed, ", "));
}

std::string title_of(const ReproductionReport& report) {
  return fmt::format("Reproduction of {}/{}", report.paper, report.item);
}

}  // namespace

nlohmann::ordered_json reproduction_to_json(const ReproductionReport& report) {
  return document_of("reproduce", report);
}

std::string reproduction_to_text(const ReproductionReport& report) {
  Reasons reasons;
  const TextTable rows = rows_table(report, reasons);
  const TextTable tests = tests_table(report, reasons);
  std::string text = fmt::format("{}: {}\n\n", title_of(report), report.summary);
  text += to_text(rows);
  if (!tests.rows.empty()) text += "\n" + tests.caption + "\n" + to_text(tests);
  text += "\n";
  for (const std::string& line : numbered(reasons)) text += line + "\n";
  text += "\n";
  for (const std::string& note : report.notes) text += note + "\n";
  text += fmt::format("\n{}; {:.0f} s\n", summary_of(report), report.seconds);
  if (const std::string targets = targets_line(report); !targets.empty()) text += targets + "\n";
  return text + to_text(marked(report.files, Fence::kNotPrivate));
}

std::string reproduction_to_html(const ReproductionReport& report) {
  Reasons reasons;
  const TextTable rows = rows_table(report, reasons);
  const TextTable tests = tests_table(report, reasons);
  std::vector<std::string> metrics;
  for (const ReproductionRow& row : report.rows)
    if (!contains(metrics, row.metric)) metrics.push_back(row.metric);
  std::string charts;
  for (size_t i = 0; i < metrics.size(); ++i) charts += comparison_chart(report, metrics[i], i + 1);
  const std::string targets = targets_line(report);
  // Drawn records belong to nobody.
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
            "Diamonds: published values; short strokes: published bounds; dots: our values; bars: "
            "one standard error; long strokes: targets, explained in the notes.") +
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
