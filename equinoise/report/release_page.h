// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/deployment.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/release_report.h"

namespace equinoise {

// Parts of reports that releases of figures of strata share.

/// The facts of its card, without description, method and post-processing.
Deployment deployment_of(const ReleaseReport& report);

/// The rounding of a column's numbers, as a part of a sentence.
std::string rounding_text(const NumberRounding& rounding);

/// The weights of records, the figures `released` by them and the weight that predicts noise, a
/// sentence each; none if each record counts as 1.
std::vector<std::string> record_weights_items(const std::optional<RecordWeights>& weights,
                                              std::string_view released);

inline constexpr const char* kWeightedMeans =
    "the noisy sum of weights is released together with the weighted sum";

/// The document of a plan, with its guarantee.
Document release_plan(const ReleaseReport& report, std::string title);

/// The document of a release, with its guarantee and files. `leaves`: what may leave the house, of
/// a release with a guarantee; it ends the summary.
Document release_document(const ReleaseReport& report, std::string title,
                          std::vector<std::string> summary, std::string leaves);

/// Adds guarantee and account to a page.
void add_privacy(const ReleaseReport& report, Document& document);

}  // namespace equinoise
