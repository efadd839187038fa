// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/means/means_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/means/means_tables.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/protection.h"

namespace equinoise {

namespace {

/// The fence of figures that the run released with noise.
Fence fence_of(const MeansReport& report) {
  return report.status == PrivacyStatus::kPrivate ? Fence::kPublishable : Fence::kUnprotected;
}

std::vector<std::string> lead_of(const MeansReport& report) {
  if (!report.privacy) return {"Guarantee: NONE, the noise came from a known seed"};
  std::vector<std::string> lead = {
      fmt::format("Guarantee: {}, rho {:g}{}{}", format_guarantee(*report.privacy), report.rho,
                  report.strata.empty() ? ""
                  : report.units ? fmt::format(", per {} over all strata", report.units->unit)
                                 : ", for the members of every stratum: nobody is in two strata",
                  report.status == PrivacyStatus::kPrivate
                      ? ""
                      : "; the schema was drafted from the records: NOT PRIVATE")};
  lead.insert(lead.end(), report.in_words.begin(), report.in_words.end());
  return lead;
}

/// The strata with the lowest and the highest mean of a column: a sentence, "" for fewer than two.
std::string extremes_line(const MeansReport& report, const std::string& column) {
  std::vector<const StratumMeanReport*> rows;
  for (const StratumMeanReport& row : report.rows)
    if (row.column == column && row.has_figure()) rows.push_back(&row);
  if (rows.size() < 2) return "";
  const auto [lowest, highest] = std::minmax_element(
      rows.begin(), rows.end(),
      [](const StratumMeanReport* a, const StratumMeanReport* b) { return a->mean < b->mean; });
  const auto text = [](const StratumMeanReport& row) {
    return fmt::format("{} ({})", values_of(row.stratum),
                       figure_text(row.mean, row.noise_stddev, row.interval));
  };
  return fmt::format("{} is lowest for {} and highest for {}.", column, text(**lowest),
                     text(**highest));
}

/// The release, the strata that differ most, the strength of the privacy, and the parts that may
/// leave the house.
std::vector<std::string> summary_of(const MeansReport& report) {
  constexpr size_t kMaxNamedColumns = 3;
  std::vector<std::string> summary = {
      fmt::format("{} of the dataset {} were released with noise, each with an interval.",
                  means_name(report), report.dataset)};
  for (size_t j = 0; j < std::min(report.columns.size(), kMaxNamedColumns); ++j)
    if (std::string line = extremes_line(report, report.columns[j].name); !line.empty())
      summary.push_back(std::move(line));
  if (report.privacy && report.status == PrivacyStatus::kPrivate) {
    summary.push_back(strength_in_words(
        *report.privacy, report.units ? ProtectedUnit{report.units->unit, report.units->max_records}
                                      : ProtectedUnit{}));
    std::string leaves =
        report.explanation ? "The released figures may leave the house; this page, which also has "
                             "exact ones, may not."
                           : "Everything on this page may leave the house.";
    if (report.held_out) {
      leaves += fmt::format(" Nothing protects the records of {}, whose exact shares weigh strata.",
                            report.held_out->file);
    }
    summary.push_back(std::move(leaves));
  } else {
    summary.emplace_back(
        "Privacy: none. Nothing here may leave the house, unless the table is public.");
  }
  return summary;
}

/// What stands under the figures in each form: what is wrong with them, and who is not protected.
Items remarks_on(const MeansReport& report, size_t max_names) {
  Items remarks{figure_notes(report, max_names)};
  if (report.is_shrunk) {
    remarks.items.emplace_back(
        "Figures of strata are moved towards each other as far as noise explains their differences "
        "(--no-shrink reports them before).");
  }
  if (std::string line = held_out_line(report.held_out); !line.empty())
    remarks.items.push_back(std::move(line));
  return remarks;
}

/// The strata's means of a column with their intervals.
std::string chart_of(const MeansReport& report, size_t j) {
  const std::string& column = report.columns[j].name;
  const std::string by = columns_of(report.strata);
  const auto dot = [](std::string name, std::string records, const auto& row) {
    return DotRow{.name = std::move(name),
                  .size = std::move(records),
                  .estimate = {row.mean, row.interval.value_or(Interval{kNoFigure, kNoFigure})},
                  .text = figure_text(row.mean, row.noise_stddev, row.interval)};
  };
  DotChart chart{.id = fmt::format("means-{}", j + 1),
                 .title = fmt::format("Mean of {} by {}", column, by),
                 .metric = "mean",
                 .axis_label = fmt::format("mean of {}, with 95 % intervals of noise", column),
                 .name_head = by,
                 .size_head = "records",
                 .rows = {},
                 .total = dot("overall", "", report.overall[j]),
                 .rows_are = "strata"};
  std::vector<double> weights;
  for (size_t i = j; i < report.rows.size(); i += report.columns.size()) {
    const StratumMeanReport& row = report.rows[i];
    chart.rows.push_back(dot(values_of(row.stratum),
                             row.num_records ? format_count(std::llround(*row.num_records)) : "",
                             row));
    weights.push_back(std::fabs(row.mean - report.overall[j].mean));
  }
  return dot_chart(chart, weights, "the largest distance from the overall mean") + "\n";
}

void add_figures(const MeansReport& report, Document& document) {
  Items remarks = remarks_on(report, 1);
  if (std::string line = clip_line(report); !line.empty()) remarks.items.push_back(std::move(line));
  if (report.ledger) remarks.items.push_back(account_line(*report.ledger));
  remarks.items.push_back(fmt::format(
      "Each interval holds by itself in 95 % of releases; --verbose says what it holds{}.",
      report.files.empty() ? ", and --out FOLDER writes a report" : ""));
  document.section(means_name(report), fence_of(report), Form::kScreen)
      .add(means_table(report))
      .add(std::move(remarks));
  Section& section =
      document.section(means_name(report), fence_of(report), Form::kPage | Form::kCard);
  if (!report.strata.empty()) {
    for (size_t j = 0; j < report.columns.size(); ++j) section.add(Picture{chart_of(report, j)});
  }
  section.add(means_table(report)).add(remarks_on(report, report.rows.size()));
}

void add_intervals(const MeansReport& report, Document& document) {
  Section& section =
      document.section("What the intervals hold", Fence::kPublishable, Form::kPage | Form::kCard);
  section.add(Paragraph{interval_line(report)}).add(Items{interval_items(report)});
  if (!report.is_shrunk) return;
  section.add(Paragraph{
      "The intervals of strata are those of the figures before shrinking, widened to contain the "
      "figures above; the overall mean is computed from the figures before shrinking. Shrinking "
      "costs nothing."});
}

void add_exact_figures(const MeansReport& report, Document& document) {
  if (!report.explanation) return;
  std::string what =
      "The exact mean is that of all values brought within the schema's bounds, over the records "
      "that have one";
  if (report.record_weights) what += ", by their weights";
  if (report.units) what += ", of the rows that count";
  for (const MeanColumnReport& column : report.columns) {
    if (!column.rounding) continue;
    what += ", as they were read by public bins";
    break;
  }
  document.section("Exact figures", Fence::kNotPrivate, Form::kShown)
      .add(Paragraph{what + ", before a method clips them."})
      .add(exact_table(report))
      .add(Items{exact_items(report)});
}

}  // namespace

Document means_document(const MeansReport& report) {
  Document document;
  document.title = fmt::format("{} on {}", means_name(report), report.dataset);
  document.summary = summary_of(report);
  document.lead = lead_of(report);
  if (report.status != PrivacyStatus::kPrivate)
    document.alarms = {privacy_line(report.status, report.privacy)};
  document.warnings = report.warnings;
  document.files = report.files;
  add_figures(report, document);
  add_intervals(report, document);
  document.section("How each mean is estimated", Fence::kPublishable, Form::kPage | Form::kCard)
      .add(Items{column_items(report)});
  if (report.privacy && report.status == PrivacyStatus::kPrivate)
    document.section("Privacy", Fence::kPublishable, Form::kPage)
        .add(Picture{html_guarantee(*report.privacy)});
  if (report.ledger) {
    document.section("Ledger", Fence::kPublishable, Form::kPage)
        .add(Items{account_items(*report.ledger)})
        .add(Picture{budget_chart("budget", *report.ledger)});
    document.section("Ledger", Fence::kPublishable, Form::kCard)
        .add(Paragraph{account_line(*report.ledger)})
        .add(Paragraph{account_assumption(report.ledger->budget)});
  }
  add_exact_figures(report, document);
  document.section("How to repeat it", Fence::kPublishable, Form::kPage | Form::kCard)
      .add(Code{report.command})
      .add(Paragraph{"Equinoise " + report.version + "."});
  return document;
}

Document means_plan_document(const MeansReport& report) {
  Document document;
  document.title = fmt::format("Plan: means on {} ({})", report.dataset, to_string(report.status));
  document.lead = lead_of(report);
  document.warnings = report.warnings;
  Section& section = document.section(document.title, Fence::kPublishable, Form::kShown);
  section.add(Items{column_items(report)}).add(means_plan_table(report));
  Items last;
  if (report.ledger) last.items = account_items(*report.ledger);
  if (std::string line = held_out_line(report.held_out); !line.empty())
    last.items.push_back(std::move(line));
  section.add(std::move(last));
  return document;
}

}  // namespace equinoise
