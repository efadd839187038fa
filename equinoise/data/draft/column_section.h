// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/draft/column_draft.h"
#include "equinoise/data/draft/column_survey.h"

namespace equinoise {

/// The categories: numbers in their order, then texts.
std::vector<std::string> sorted_values(const ColumnSurvey& survey, char decimal_mark);

/// Whether a category of a column has the name of the category for missing or other cells.
bool has_category(const ColumnSurvey& survey, std::string_view name);

/// Marks of missing cells, compared between the columns of a table.
struct TableMarks {
  const Marks& all;
  std::set<std::string> shared;      ///< marks that several columns hold
  std::set<std::string> of_numbers;  ///< words read as missing in columns of numbers or dates
};

/// The marks of the columns that are not ignored. `marks` must outlive the result.
TableMarks marks_of_table(const Marks& marks, const std::vector<ColumnSurvey>& surveys,
                          const std::vector<ColumnDraft>& drafts);

/// The comments and the [columns.NAME] of a schema for a column.
std::string column_section(const ColumnSurvey& survey, const ColumnDraft& draft,
                           const TableMarks& marks, char decimal_mark, bool is_target);

}  // namespace equinoise
