// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/means/means_report.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// The report of a release: page, screen and, of what is publishable, card. Publishable, but for
/// the section of exact figures of a report that has an explanation.
Document means_document(const MeansReport& report);

/// What a release would cost, and the noise to expect. Publishable.
Document means_plan_document(const MeansReport& report);

}  // namespace equinoise
