// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/release_page.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/protection.h"

namespace equinoise {

namespace {

/// The guarantee and what it protects, in sentences.
std::vector<std::string> release_lead(const ReleaseReport& report) {
  if (!report.privacy) return {"Guarantee: NONE, the noise came from a known seed"};
  std::vector<std::string> lead = {
      fmt::format("Guarantee: {}, rho {:g}{}{}", format_guarantee(*report.privacy), report.rho,
                  report.strata.empty() ? ""
                  : report.units ? fmt::format(", per {} over all strata", report.units->unit)
                                 : ", for the members of every stratum: nobody is in two strata",
                  report.status == PrivacyStatus::kPrivate
                      ? ""
                      : "; the schema was drafted from the records: NOT PRIVATE")};
  append(lead, report.in_words);
  return lead;
}

bool has_guarantee(const ReleaseReport& report) {
  return report.privacy && report.status == PrivacyStatus::kPrivate;
}

}  // namespace

Deployment deployment_of(const ReleaseReport& report) {
  Deployment deployment;
  deployment.product = DataProduct::kMeans;
  deployment.dataset = report.dataset;
  deployment.version = report.version;
  deployment.status = report.status;
  deployment.privacy = report.privacy;
  deployment.protection = report.protection;
  for (const Event& event : report.events) deployment.mechanisms.push_back(mechanism_of(event));
  deployment.ledger = report.ledger;
  return deployment;
}

Document release_plan(const ReleaseReport& report, std::string title) {
  Document document;
  document.title = std::move(title);
  document.lead = release_lead(report);
  document.warnings = report.warnings;
  document.owner_warnings = report.owner_warnings;
  return document;
}

Document release_document(const ReleaseReport& report, std::string title,
                          std::vector<std::string> summary, std::string leaves) {
  Document document = release_plan(report, std::move(title));
  document.summary = std::move(summary);
  if (has_guarantee(report)) {
    const ProtectedUnit unit = report.units
                                   ? ProtectedUnit{report.units->unit, report.units->max_records}
                                   : ProtectedUnit{};
    document.summary.push_back(strength_in_words(*report.privacy, unit));
    document.summary.push_back(std::move(leaves));
  } else {
    document.summary.emplace_back(
        "Privacy: none. Nothing here may leave the house, unless the table is public.");
  }
  if (report.status != PrivacyStatus::kPrivate)
    document.alarms = {privacy_line(report.status, report.privacy)};
  document.files = marked(report.files, fence_of(report.status));
  return document;
}

void add_privacy(const ReleaseReport& report, Document& document) {
  if (has_guarantee(report))
    document.section("Privacy", Fence::kPublishable, Form::kPage)
        .add(Picture{html_guarantee(*report.privacy)});
  add_account(report.ledger, document);
}

std::string rounding_text(const NumberRounding& rounding) {
  // Four digits, rounded upwards.
  const double most = next_down(rounding.most);
  const double unit = std::pow(10, std::floor(std::log10(most)) - 3);
  return fmt::format(
      "numbers were read as what stands for one of {} public bins: at most {:.4g} from what they "
      "were",
      rounding.num_bins, std::ceil(most / unit) * unit);
}

std::vector<std::string> record_weights_items(const std::optional<RecordWeights>& weights,
                                              std::string_view released) {
  if (!weights) return {};
  std::vector<std::string> items;
  if (weights->rounding) {
    items.push_back(fmt::format("Of {}, {}; figures and their intervals are by these weights.",
                                weights->column, rounding_text(*weights->rounding)));
  }
  items.push_back(fmt::format("Each record counts by its {}, at most {:g}; {}.", weights->column,
                              weights->largest, released));
  items.push_back(
      fmt::format("Noise of means is predicted for {}: at a mean {} half as large it is twice as "
                  "large.",
                  weights->expected_mean < weights->largest
                      ? fmt::format("the declared mean of {:g}", weights->expected_mean)
                      : "records that all have the largest weight",
                  weights->column));
  return items;
}

}  // namespace equinoise
