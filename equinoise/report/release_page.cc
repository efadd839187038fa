// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/release_page.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
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
      fmt::format("Noise is predicted for {}: at a mean {} half as large it is twice as large.",
                  weights->expected_mean < weights->largest
                      ? fmt::format("the declared mean of {:g}", weights->expected_mean)
                      : "records that all have the largest weight",
                  weights->column));
  return items;
}

}  // namespace equinoise
