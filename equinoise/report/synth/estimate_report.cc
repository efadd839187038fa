// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/estimate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
using Figure = EstimatedFigure;

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
    while (decimals < kMaxDecimals && upper > lower && upper - lower < 2 * unit_of(decimals))
      ++decimals;
    const double unit = unit_of(decimals);
    return fmt::format("{} to {}", text_of(std::floor(lower / unit) * unit, decimals),
                       text_of(std::ceil(upper / unit) * unit, decimals));
  }

 private:
  static constexpr int kMaxDecimals = 9;

  static double unit_of(int decimals) { return std::pow(10.0, -decimals); }

  static std::string text_of(double value, int decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    return text.find_first_not_of("-0.") == text.npos && text[0] == '-' ? text.substr(1) : text;
  }

  double scale_;
  int decimals_ = 0;
};

std::string kind_caption(FigureKind kind) {
  switch (kind) {
    case FigureKind::kCount:
      return "Records";
    case FigureKind::kShare:
      return "Shares (%)";
    case FigureKind::kMean:
      return "Means";
  }
  return "";
}

}  // namespace

std::optional<Interval> estimate_keys::interval(const Figure& figure) {
  if (!figure.lower || !figure.upper) return std::nullopt;
  return Interval{*figure.lower, *figure.upper};
}

void estimate_keys::write_basis(const Figure& figure, const FieldScope&, Json& object) {
  Json& json = object["stands_on"];
  if (!figure.estimate) return;
  const FigureBasis& basis = figure.basis;
  if (!basis.noise_stddev) {
    json = {{"public", columns_of(basis.columns)}};
    return;
  }
  json = {{"columns", basis.columns}, {"noise_stddev", *basis.noise_stddev}};
  if (basis.num_strata > 0) json["strata"] = basis.num_strata;
  if (basis.is_split) json["measurements_disagree"] = true;
}

void estimate_keys::write_level(const SynthEstimateReport& report, const FieldScope&,
                                Json& object) {
  object["level"] = report.level;
  object["level_holds_for"] = report.at_once ? "all intervals at once" : "each interval";
}

Json synth_estimate_to_json(const SynthEstimateReport& report) {
  return document_of("synth estimate", report);
}

std::string synth_estimate_to_csv(const SynthEstimateReport& report) {
  std::string text;
  if (!report.figures.empty()) {
    for (const auto& [column, value] : report.figures.front().group) text += csv_cell(column) + ",";
  }
  text += "figure,model,estimate,lower,upper,stands_on\n";
  for (const Figure& figure : report.figures) {
    for (const auto& [column, value] : figure.group) text += csv_cell(value) + ",";
    text +=
        fmt::format("{},{},{},{},{},{}\n", word_of(kFigureKinds, figure.kind),
                    csv_number(figure.model), csv_number(figure.estimate), csv_number(figure.lower),
                    csv_number(figure.upper), csv_cell(basis_text(figure)));
  }
  return text;
}

Document synth_estimate_document(const SynthEstimateReport& report) {
  Document document;
  document.title = fmt::format("Estimates: {}", report.dataset);
  document.lead = {fmt::format("{}, from a model of {} ({}); this costs nothing.", report.dataset,
                               report.method, to_string(report.status))};
  document.files = marked(report.files, fence_of(report.status));
  const Fence fence = fence_of(report.status);
  Section& figures = document.section(report.question, fence, Form::kShown);
  for (const FigureKind kind : {FigureKind::kCount, FigureKind::kShare, FigureKind::kMean}) {
    const FigureTexts texts(kind, report.figures);
    TextTable table{kind_caption(kind), {}};
    for (const Figure& figure : report.figures) {
      if (figure.kind != kind) continue;
      std::vector<std::string> row;
      for (const auto& [column, value] : figure.group) {
        if (table.rows.empty()) table.head.push_back(column);
        row.push_back(value);
      }
      row.insert(row.end(), {basis_text(figure), texts.text(figure.model),
                             texts.text(figure.estimate), texts.interval(figure)});
      table.rows.push_back(std::move(row));
    }
    table.head.insert(table.head.end(), {"stands on", "model", "estimate",
                                         fmt::format("{:g} % interval", 100 * report.level)});
    table.num_left = table.head.size() - 3;
    figures.add(std::move(table));
  }
  document.section("How to read them", fence, Form::kShown).add(Items{report.notes});
  return document;
}

}  // namespace equinoise
