// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/page/document.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// Adds the terms of an additive model: curves and categories of the largest, and a table of all,
/// which a screen has in part.
void add_terms(const TrainingReport& report, Fence fence, Document& document);

}  // namespace equinoise
