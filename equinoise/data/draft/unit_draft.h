// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/draft/column_survey.h"

namespace equinoise {

/// Whether a name is that of a column of person identifiers: person_id, PatientNr, customer, id.
bool names_unit(std::string_view name);

/// Whether a column may hold identifiers that occur in several rows. In doubt it may. Quantities
/// are recognised by their roundness, by a value with many rows, by gaps, and by how their values
/// repeat and spread; free text by its words.
bool may_be_unit(const ColumnSurvey& survey);

/// The columns that may be units, except the target: first those with such a name, then by
/// decreasing number of values.
std::vector<size_t> find_units(const std::vector<ColumnSurvey>& surveys, const std::string& target);

/// The largest number of rows of a value, among the share of values with the fewest rows.
int64_t rows_of_most(const ColumnSurvey& survey, double share);

/// The open unit of a draft, with statistics of the candidates. NOT PRIVATE.
std::string unit_question(const std::vector<const ColumnSurvey*>& candidates);

}  // namespace equinoise
