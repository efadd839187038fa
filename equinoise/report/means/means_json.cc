// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "equinoise/base/lists.h"
#include "equinoise/privacy/failure_events.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/release_page.h"

namespace equinoise {

namespace means_keys {

namespace {

/// Rho bounds what may not fail.
std::optional<double> rho_of_everything(const MeansReport& report) {
  const SplitEvents split = split_failures(report.events);
  return split.sampler_error > 0 || split.delta > 0 ? std::nullopt : std::optional(report.rho);
}

}  // namespace

/// Sizes that are not noisy are whole.
void write_num_records(const StratumMeanReport& row, const FieldScope&, Json& object) {
  Json& size = object["num_records"] = nullptr;
  if (!row.num_records) return;
  const bool is_whole =
      *row.num_records == std::floor(*row.num_records) && std::fabs(*row.num_records) < 0x1p53;
  size = is_whole ? Json(static_cast<int64_t>(*row.num_records)) : number_or_null(*row.num_records);
}

void read_num_records(const Section& section, const FieldScope& scope, StratumMeanReport& row) {
  row.num_records = read_value<std::optional<double>>(section, "num_records", scope);
}

Deployment deployment(const MeansReport& report) {
  std::vector<std::string> methods;
  for (const MeanColumnReport& column : report.columns) {
    if (!contains(methods, column.method)) methods.push_back(column.method);
  }
  Deployment facts = deployment_of(report);
  facts.description = means_name(report) + ".";
  if (report.units) {
    facts.description = fmt::format("{} over rows, at most {} of each {}.", means_name(report),
                                    report.units->max_records, report.units->unit);
  }
  facts.method = fmt::format("{}", fmt::join(methods, ", "));
  if (report.pure) facts.privacy = report.pure;
  if (!report.pure) facts.rho = rho_of_everything(report);
  facts.groups_differ = std::ranges::any_of(report.rows, [&](const StratumMeanReport& row) {
    return !row.is_empty && row.privacy && report.privacy &&
           row.privacy->epsilon.value() != report.privacy->epsilon.value();
  });
  // Of strata it is the number of those who are in one.
  if (report.strata.empty() && !report.has_private_sizes && !report.rows.empty() &&
      report.rows[0].num_records)
    facts.num_records = static_cast<int64_t>(*report.rows[0].num_records);
  if (report.held_out) {
    facts.unprotected =
        fmt::format("Shares of strata among {} held-out records, which are not protected.",
                    report.held_out->num_records);
  }
  facts.post_processing =
      "Means are clamped to the bounds of their columns, numbers of values to public numbers of "
      "records, and intervals are cut to where a mean can be.";
  if (report.is_shrunk) {
    facts.post_processing +=
        " Means of strata are moved towards what they have in common, by as much as noise explains "
        "their differences.";
  }
  return facts;
}

}  // namespace means_keys

nlohmann::ordered_json means_plan_to_json(const MeansReport& report) {
  return document_of("means --dry-run", report, {Documents::kPlan});
}

nlohmann::ordered_json means_to_json(const MeansReport& report) {
  return document_of("means", report, {Documents::kReport});
}

namespace {

/// Refuses figures that do not go together.
MeansReport read_means(const OrderedJsonSection& root) {
  auto report = read_fields<MeansReport>(root, {Documents::kReport});
  const size_t num_columns = report.columns.size();
  if (report.overall.size() != num_columns)
    root.wrong("overall", fmt::format("a list of {} means, as columns", num_columns));
  if (report.rows.empty() || num_columns == 0 || report.rows.size() % num_columns != 0)
    root.wrong("strata", "a mean of each column for each stratum");
  if (report.explanation) {
    const MeansExplanation& exact = *report.explanation;
    const size_t num_strata = report.rows.size() / num_columns;
    bool fits = exact.columns.size() == num_columns && exact.num_records.size() == num_strata;
    for (const ExactColumn& column : exact.columns)
      fits = fits && column.strata.size() == num_strata && column.num_values.size() == num_strata;
    if (!fits) root.wrong("not_private", "figures of the same columns and strata");
  }
  for (StratumMeanReport& row : report.rows)
    row.is_empty = !report.has_private_sizes && row.num_records == 0.0;
  return report;
}

}  // namespace

MeansReport means_report_from_json(std::string_view text, std::string_view origin) {
  return read_document({"means", origin, "report.means"}, text, read_means);
}

}  // namespace equinoise
