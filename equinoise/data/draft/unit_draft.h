// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/draft/column_survey.h"

namespace equinoise {

/// Whether a column with such a name says whose a row is: person_id, PatientNr, customer, id.
bool names_unit(std::string_view name);

/// Whether a column may hold identifiers that occur in several rows. Where in doubt it may.
/// Quantities are told apart by their roundness, by a value that many rows hold, by gaps, and by
/// how their values repeat and spread; free text by its words.
bool may_be_unit(const ColumnSurvey& survey);

/// The columns that may, but for the target: named ones first, then by how many values they have.
std::vector<size_t> find_units(const std::vector<ColumnSurvey>& surveys, const std::string& target);

/// How many rows a share of the values have at most.
int64_t rows_of_most(const ColumnSurvey& survey, double share);

/// The open unit of a draft, with what was seen of the candidates. NOT PRIVATE.
std::string unit_question(const std::vector<const ColumnSurvey*>& candidates);

}  // namespace equinoise
