// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/draft/column_draft.h"
#include "equinoise/data/draft/column_survey.h"

namespace equinoise {

/// Whether a column with such a name says whose a row is: person_id, PatientNr, customer, id.
bool names_unit(std::string_view name);

/// Whether its values are many and occur again, so that rows of one value may be one person's:
/// `times` on average or more.
bool repeats(const ColumnSurvey& survey, double times);

/// The column that says whose a row is, if one seems to: of those that may, one that is named so,
/// then that of most different values.
std::optional<size_t> find_unit(const std::vector<ColumnSurvey>& surveys,
                                const std::vector<ColumnDraft>& drafts);

/// What a draft says of that column, and the lines that make its values the units, as comments. NOT
/// PRIVATE: how many rows most of them have.
std::string unit_choice(const ColumnSurvey& survey);

}  // namespace equinoise
