// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/undescribed_table.h"

#include "equinoise/data/formats/delimiter.h"
#include "equinoise/data/open_table.h"

namespace equinoise {

OpenTable open_undescribed(const TableSource& source, const TableOptions& options) {
  OpenTable table;
  TableLayout given;
  given.delimiter = options.delimiter;
  given.decimal_comma = options.decimal_comma.value_or(false);
  given.has_header = options.has_header.value_or(true);
  given.encoding = options.encoding.value_or(Encoding::kUtf8);
  const auto complete = [&](std::string_view head, TableLayout& layout) {
    if (!layout.delimiter) layout.delimiter = delimiter_of_lines(head, source.name());
    if (!options.decimal_comma) layout.decimal_comma = has_decimal_commas(head, *layout.delimiter);
    table.is_csv = true;
    table.layout = layout;
  };
  table.reader = open_table(source, given, complete);
  return table;
}

}  // namespace equinoise
