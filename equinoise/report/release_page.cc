// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/release_page.h"

#include <fmt/format.h>

#include "equinoise/base/lists.h"
#include "equinoise/report/format.h"
#include "equinoise/report/protection.h"

namespace equinoise {

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

std::string strength_line(const ReleaseReport& report) {
  if (!report.privacy || report.status != PrivacyStatus::kPrivate) return "";
  return strength_in_words(
      *report.privacy, report.units ? ProtectedUnit{report.units->unit, report.units->max_records}
                                    : ProtectedUnit{});
}

}  // namespace equinoise
