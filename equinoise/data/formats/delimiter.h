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

/// The separator by which the header line names most of the schema's columns; a comma if none does
/// better. Only the header decides, so that no record can change how the others are read.
char delimiter_of_header(std::string_view head, const Schema& schema);

/// How many columns of the schema the header line names if `delimiter` separates its cells.
size_t num_columns_named(std::string_view head, char delimiter, const Schema& schema);

/// The first complete records of a file, at most `max_records`, split at `delimiter`, without a
/// line like "sep=;". An error of form is passed over.
std::vector<std::vector<std::string>> split_head(std::string_view head, char delimiter,
                                                 size_t max_records = 1000);

/// The separator that gives every line of `head` equally many cells, more than one; where lines
/// differ under all of them, the one that gives the header most. NOT PRIVATE: records decide.
///
/// Errors (kInput, `data.table`, about `file`): several that fit; lines that seem to be separated
/// by blanks or by another sign.
char delimiter_of_lines(std::string_view head, std::string_view file);

/// Whether numbers in the cells have a decimal comma: nearly all cells of some columns are numbers
/// if they do, a tenth of these or more, and two of the table at least, can be read in no other way
/// (0,25 and 1.234,5, but not 1,234), and no column of numbers has a decimal point or lists such as
/// 1,2,3. NOT PRIVATE.
bool has_decimal_commas(std::string_view head, char delimiter);

}  // namespace equinoise
