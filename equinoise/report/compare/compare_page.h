// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// The report of a comparison: page and screen. NOT PRIVATE.
Document compare_document(const CompareReport& report);

}  // namespace equinoise
