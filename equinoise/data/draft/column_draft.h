// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "equinoise/data/draft/column_survey.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The constants of a numeric column: the observed figures, rounded.
struct NumericDraft {
  explicit NumericDraft(const ColumnSurvey& survey);

  int unit = 0;  ///< the bounds are multiples of 10^unit, or of ten times that
  double lower = 0;
  double upper = 0;
  double mean = 0;
  double stddev = 0;
  bool is_whole = false;
};

struct ColumnDraft {
  ColumnType type = ColumnType::kIgnored;
  std::string reason;       ///< the reason why a column is ignored
  bool is_surveyed = true;  ///< false: the table's reader found a problem
};

/// The type of a column. `problem`: the problem of its values that the table's reader found, or "".
ColumnDraft decide(const ColumnSurvey& survey, std::string_view problem, bool is_target);

}  // namespace equinoise
