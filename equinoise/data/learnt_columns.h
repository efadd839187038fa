// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// The content of some columns of a table, for a table without a schema. NOT PRIVATE: all of it is
/// learnt from the records.
struct LearntColumns {
  struct Column {
    std::string name;
    std::vector<std::string> texts;   ///< distinct, ascending; numbers by size
    std::vector<std::string> values;  ///< those of distinct meaning: of 01 and 1 one
    bool are_numbers = false;         ///< each of them
    bool is_complete = true;          ///< false: there are more than max_values
    bool has_missing = false;
  };
  std::vector<Column> columns;      ///< in the order that they were asked for
  std::vector<std::string> header;  ///< of the table, in its order
  /// The names that the header has more than once: a later column of the name has another one in
  /// `header`.
  std::vector<std::string> repeated_names;
  TableLayout layout;
};

/// Reads the columns of these names, then, `with_others`, all others that can be read and whose
/// name the file gives to no other column; each keeps at most `max_values` distinct values. 1
/// and 1.0 are one value where all are numbers. Errors (kInput): those of the table's reader and of
/// delimiter_of_lines; a column that is not there; no rows.
LearntColumns learn_columns(const TableSource& source, const TableOptions& options,
                            const std::vector<std::string>& missing_values,
                            const std::vector<std::string>& names, size_t max_values,
                            bool with_others = false);

/// The values of several columns that mean the same, each once, ascending.
std::vector<std::string> distinct_values(std::vector<std::string> values);

}  // namespace equinoise
