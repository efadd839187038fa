// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "equinoise/base/csv_cell.h"
#include "equinoise/privacy/failure_events.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/release_page.h"
#include "equinoise/report/tables/tables_report.h"

namespace equinoise {

Deployment tables_keys::deployment(const TablesReport& report) {
  Deployment deployment = deployment_of(report);
  for (const TableStatisticReport& statistic : report.statistics) {
    deployment.description += fmt::format(
        "{}{}", deployment.description.empty() ? "Tables of " : ", ", to_text(statistic.subject));
  }
  if (!report.strata.empty()) deployment.description += " by " + columns_of(report.strata);
  deployment.description += ".";
  deployment.method = "noisy sums and counts";
  deployment.post_processing =
      "Counts of the same records are made to agree by least squares and rounded; those below 0 "
      "are reported as 0. Means, shares and quantiles are clamped to what they can be. Figures "
      "that are expected to be noisier than asked are left out.";
  return deployment;
}

nlohmann::ordered_json tables_plan_to_json(const TablesReport& report) {
  return document_of("tables --dry-run", report, {Documents::kPlan});
}

nlohmann::ordered_json tables_to_json(const TablesReport& report) {
  return document_of("tables", report, {Documents::kReport});
}

TablesReport tables_report_from_json(std::string_view text, std::string_view origin) {
  return read_document({"tables", origin, "report.tables"}, text, [](const auto& root) {
    return read_fields<TablesReport>(root, {Documents::kReport});
  });
}

namespace {

/// The cells of the columns of `by`, each with a comma behind it.
std::string label_cells(const TablesReport& report, const GroupLabel& group) {
  std::string text;
  for (const std::string& column : report.strata) {
    for (const auto& [name, value] : group)
      if (name == column) text += csv_cell(value);
    text += ",";
  }
  return text;
}

std::string subject_cells(std::string_view prefix, const FigureSubject& subject,
                          const std::string& value) {
  return fmt::format("{}{},{},{},{}", prefix, word_of(words_for<Statistic>, subject.statistic),
                     csv_cell(subject.column), csv_cell(value), csv_number(subject.level));
}

std::string estimate_cells(double estimate, const std::optional<Interval>& interval) {
  const Interval ends = interval.value_or(Interval{kNoFigure, kNoFigure});
  return fmt::format("{},{},{}", csv_number(estimate), csv_number(ends.low), csv_number(ends.high));
}

}  // namespace

std::string tables_to_csv(const TablesReport& report) {
  std::string text;
  for (const std::string& column : report.strata) text += csv_cell(column) + ",";
  text += "statistic,column,value,level,estimate,low,high,noise_stddev,budget_share,state\n";
  for (const FigureReport& figure : report.figures) {
    double share = 0;
    for (const TableStatisticReport& statistic : report.statistics)
      if (statistic.subject == figure.subject) share = statistic.budget_share;
    text += fmt::format("{}{},{},{},{},{}\n", label_cells(report, figure.group),
                        subject_cells("", figure.subject, figure.value),
                        estimate_cells(figure.estimate.value_or(kNoFigure), figure.interval),
                        csv_number(figure.noise_stddev), csv_number(share),
                        word_of(words_for<FigureState>, figure.state));
  }
  for (const ComparisonReport& row : report.comparisons) {
    const auto line = [&](std::string_view prefix, std::string_view sign, double estimate,
                          const std::optional<Interval>& interval) {
      GroupLabel both = row.group;
      both.emplace_back(row.column, fmt::format("{} {} {}", row.first, sign, row.second));
      return fmt::format("{}{},{},,,released\n", label_cells(report, both),
                         subject_cells(prefix, row.subject, row.value),
                         estimate_cells(estimate, interval));
    };
    text += line("difference of ", "-", row.difference, row.interval);
    if (row.ratio) text += line("ratio of ", "/", *row.ratio, row.ratio_interval);
  }
  return text;
}

}  // namespace equinoise
