// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/page/document.h"
#include "equinoise/report/synth/rows_card.h"

namespace equinoise {

/// rows_card.md and, with drawings, the page. Publishable.
Document rows_document(const RowsCard& card);

}  // namespace equinoise
