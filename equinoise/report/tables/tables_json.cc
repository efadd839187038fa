// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "equinoise/base/csv_cell.h"
#include "equinoise/privacy/failure_events.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/tables/tables_report.h"

namespace equinoise {

nlohmann::ordered_json tables_keys::deployment(const TablesReport& report) {
  Deployment deployment;
  deployment.product = DataProduct::kMeans;
  deployment.dataset = report.dataset;
  for (const TableStatisticReport& statistic : report.statistics) {
    deployment.description += fmt::format(
        "{}{}", deployment.description.empty() ? "Tables of " : ", ", to_text(statistic.subject));
  }
  if (!report.strata.empty()) deployment.description += " by " + columns_of(report.strata);
  deployment.description += ".";
  deployment.version = report.version;
  deployment.method = "noisy sums and counts";
  deployment.status = report.status;
  deployment.privacy = report.privacy;
  deployment.protection = report.protection;
  for (const Event& event : report.events) deployment.mechanisms.push_back(mechanism_of(event));
  deployment.post_processing =
      "Counts of the same records are made to agree by least squares and rounded; those below 0 "
      "are told as 0. Means are clamped to the bounds of their columns.";
  deployment.ledger = report.ledger;
  return deployment_to_json(deployment);
}

nlohmann::ordered_json tables_plan_to_json(const TablesReport& report) {
  nlohmann::ordered_json json = json_document("tables --dry-run");
  write_fields(report, {Documents::kPlan}, json);
  return json;
}

nlohmann::ordered_json tables_to_json(const TablesReport& report) {
  nlohmann::ordered_json json = json_document("tables");
  write_fields(report, {Documents::kReport}, json);
  return json;
}

TablesReport tables_report_from_json(std::string_view text, std::string_view origin) {
  const JsonSource source = {
      .origin = std::string(origin),
      .where = "report.tables",
      .kind = "a report.json of equinoise tables of this version",
      .hint = "give a folder that equinoise tables of this version wrote with --out"};
  const auto json = parse_json<nlohmann::ordered_json>(text, source);
  const OrderedJsonSection root(json, "", source);
  if (read_kind(root) != "tables") root.wrong("kind", "\"tables\"");
  return read_fields<TablesReport>(root, {Documents::kReport});
}

std::string tables_to_csv(const TablesReport& report) {
  std::string text;
  for (const std::string& column : report.strata) text += csv_cell(column) + ",";
  text += "statistic,column,value,level,estimate,low,high,noise_stddev,budget_share,note\n";
  for (const FigureReport& figure : report.figures) {
    for (const std::string& column : report.strata) {
      for (const auto& [name, value] : figure.group)
        if (name == column) text += csv_cell(value);
      text += ",";
    }
    double share = 0;
    for (const TableStatisticReport& statistic : report.statistics)
      if (statistic.subject == figure.subject) share = statistic.budget_share;
    const Interval interval = figure.interval.value_or(Interval{kNoFigure, kNoFigure});
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}\n", word_of(words_for<Statistic>, figure.subject.statistic),
        csv_cell(figure.subject.column), csv_cell(figure.value),
        csv_number(figure.subject.level.value_or(kNoFigure)),
        csv_number(figure.estimate.value_or(kNoFigure)), csv_number(interval.low),
        csv_number(interval.high), csv_number(figure.noise_stddev.value_or(kNoFigure)),
        csv_number(share), csv_cell(figure.note));
  }
  return text;
}

}  // namespace equinoise
