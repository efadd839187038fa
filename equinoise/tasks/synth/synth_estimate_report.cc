// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_estimate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
using Figure = EstimatedFigure;

Json number_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

/// "age, sex (noise 12.3)", or why there is no interval.
std::string basis_text(const Figure& figure) {
  if (!figure.estimate) return figure.reason;
  const FigureBasis& basis = figure.basis;
  std::string text = columns_of(basis.columns);
  if (!basis.noise_stddev) return text;
  if (basis.columns.empty()) text = basis.num_strata > 0 ? "counts" : "number of records";
  if (basis.num_strata == 1) text += " in its stratum";
  if (basis.num_strata > 1) text += fmt::format(" in {} strata", basis.num_strata);
  return text + fmt::format(" (noise {})", format_amount(*basis.noise_stddev));
}

Json basis_to_json(const Figure& figure) {
  if (!figure.estimate) return nullptr;
  const FigureBasis& basis = figure.basis;
  if (!basis.noise_stddev) return {{"public", columns_of(basis.columns)}};
  Json json = {{"columns", basis.columns}, {"noise_stddev", *basis.noise_stddev}};
  if (basis.num_strata > 0) json["strata"] = basis.num_strata;
  if (basis.is_split) json["measurements_disagree"] = true;
  return json;
}

std::string csv_number(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "";
}

/// Figures of one kind with the decimals that show two digits of a typical interval; shares in
/// percent.
class FigureTexts {
 public:
  FigureTexts(FigureKind kind, const std::vector<Figure>& figures)
      : scale_(kind == FigureKind::kShare ? 100 : 1) {
    std::vector<double> widths;
    for (const Figure& figure : figures) {
      if (figure.kind == kind && figure.estimate && *figure.upper > *figure.lower)
        widths.push_back(scale_ * (*figure.upper - *figure.lower));
    }
    if (widths.empty()) return;
    std::nth_element(widths.begin(), widths.begin() + widths.size() / 2, widths.end());
    const double digits = std::floor(std::log10(widths[widths.size() / 2]));
    decimals_ = static_cast<int>(std::clamp(1 - digits, 0.0, 9.0));
  }

  std::string text(const std::optional<double>& value) const {
    return value ? text_of(scale_ * *value, decimals_) : "-";
  }

  /// Rounded outward, with decimals that tell the limits apart.
  std::string interval(const Figure& figure) const {
    if (!figure.lower) return "-";
    const double lower = scale_ * *figure.lower;
    const double upper = scale_ * *figure.upper;
    int decimals = decimals_;
    while (decimals < kMostDecimals && upper > lower && upper - lower < 2 * unit_of(decimals))
      ++decimals;
    const double unit = unit_of(decimals);
    return fmt::format("{} to {}", text_of(std::floor(lower / unit) * unit, decimals),
                       text_of(std::ceil(upper / unit) * unit, decimals));
  }

 private:
  static constexpr int kMostDecimals = 9;

  static double unit_of(int decimals) { return std::pow(10.0, -decimals); }

  static std::string text_of(double value, int decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    return text.find_first_not_of("-0.") == text.npos && text[0] == '-' ? text.substr(1) : text;
  }

  double scale_;
  int decimals_ = 0;
};

std::string kind_head(FigureKind kind) {
  switch (kind) {
    case FigureKind::kCount:
      return "records";
    case FigureKind::kShare:
      return "share (%)";
    case FigureKind::kMean:
      return "mean";
  }
  return "";
}

}  // namespace

Json synth_estimate_to_json(const SynthEstimateReport& report) {
  Json figures = Json::array();
  for (const Figure& figure : report.figures) {
    Json& entry = figures.emplace_back(
        Json{{"group", figure.group.empty() ? Json::object() : to_json(figure.group)},
             {"figure", to_string(figure.kind)},
             {"model", number_or_null(figure.model)},
             {"estimate", number_or_null(figure.estimate)},
             {"lower", number_or_null(figure.lower)},
             {"upper", number_or_null(figure.upper)},
             {"stands_on", basis_to_json(figure)}});
    if (!figure.estimate) entry["not_answerable"] = figure.reason;
  }
  return {{"schema", kReportSchema},
          {"type", "synth_estimate"},
          {"dataset", report.dataset},
          {"method", report.method},
          {"version", report.version},
          {"status", to_string(report.status)},
          {"question", report.question},
          {"level", report.level},
          {"level_holds_for", report.at_once ? "all intervals at once" : "each interval"},
          {"interval_of", report.interval_of},
          {"notes", report.notes},
          {"figures", std::move(figures)}};
}

std::string synth_estimate_to_csv(const SynthEstimateReport& report) {
  std::string text;
  if (!report.figures.empty()) {
    for (const auto& [column, value] : report.figures.front().group) text += csv_cell(column) + ",";
  }
  text += "figure,model,estimate,lower,upper,stands_on\n";
  for (const Figure& figure : report.figures) {
    for (const auto& [column, value] : figure.group) text += csv_cell(value) + ",";
    text += fmt::format("{},{},{},{},{},{}\n", to_string(figure.kind), csv_number(figure.model),
                        csv_number(figure.estimate), csv_number(figure.lower),
                        csv_number(figure.upper), csv_cell(basis_text(figure)));
  }
  return text;
}

std::string synth_estimate_to_text(const SynthEstimateReport& report) {
  std::string text =
      fmt::format("{}: {}, from a model of {} ({}); this costs nothing\n", report.dataset,
                  report.question, report.method, to_string(report.status));
  for (const FigureKind kind : {FigureKind::kCount, FigureKind::kShare, FigureKind::kMean}) {
    const FigureTexts texts(kind, report.figures);
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
    for (const Figure& figure : report.figures) {
      if (figure.kind != kind) continue;
      if (head.empty()) {
        for (const auto& [column, value] : figure.group) head.push_back(column);
        head.push_back("stands on");
        head.insert(head.end(), {kind_head(kind) + " of the model", "estimate",
                                 fmt::format("{:g} % interval", 100 * report.level)});
      }
      std::vector<std::string>& row = rows.emplace_back();
      for (const auto& [column, value] : figure.group) row.push_back(value);
      row.insert(row.end(), {basis_text(figure), texts.text(figure.model),
                             texts.text(figure.estimate), texts.interval(figure)});
    }
    if (rows.empty()) continue;
    text += "\n" + format_table(head, rows, head.size() - 3);
  }
  text += "\n" + lines_of(report.notes);
  for (const std::string& file : report.files) text += fmt::format("wrote {}\n", file);
  return text;
}

}  // namespace equinoise
