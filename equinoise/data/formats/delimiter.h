// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The separator that a first line like "sep=;" declares, as Excel reads it.
std::optional<char> declared_delimiter(std::string_view head);

/// The separator by which the header line names most of the schema's columns; a comma if none names
/// more. Only the header decides, so that no record can change how the others are read.
char delimiter_of_header(std::string_view head, const Schema& schema);

/// The number of the schema's columns that the header line names if `delimiter` separates its
/// cells.
size_t num_columns_named(std::string_view head, char delimiter, const Schema& schema);

/// The first complete records of a file, at most `max_records`, split at `delimiter`, without a
/// line like "sep=;". Errors of form are ignored.
std::vector<std::vector<std::string>> split_head(std::string_view head, char delimiter,
                                                 size_t max_records = 1000);

/// The separator that gives every line of `head` the same number of cells, more than one. If lines
/// differ under all separators, the one that gives the header most cells. NOT PRIVATE: records
/// decide.
///
/// Errors (kInput, `data.table`, about `file`): several that fit; lines that seem to be separated
/// by blanks or by another sign.
char delimiter_of_lines(std::string_view head, std::string_view file);

/// Whether numbers in the cells have a decimal comma. Two conditions must hold:
/// - There are columns whose cells are nearly all numbers if they do. In such a column a tenth or
///   more of the numbers can be read in no other way (0,25 and 1.234,5, but not 1,234), and at
///   least two in the table.
/// - No column of numbers has a decimal point or lists such as 1,2,3.
///
/// NOT PRIVATE.
bool has_decimal_commas(std::string_view head, char delimiter);

}  // namespace equinoise
