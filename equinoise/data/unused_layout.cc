// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/unused_layout.h"

#include <fmt/format.h>

#include <memory>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/arff_reader.h"
#include "equinoise/data/formats/csv_reader.h"
#include "equinoise/data/open_table.h"

namespace equinoise {
namespace {

/// The reader of a table; nullptr if it cannot be opened.
std::unique_ptr<RecordReader> reader_of(const TableSource& table, const TableOptions& options) {
  TableLayout layout;
  layout.has_header = options.has_header.value_or(true);
  layout.encoding = options.encoding.value_or(Encoding::kUtf8);
  try {
    return open_table(table, layout);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

void refuse_unused_layout(const TableSource& table, const TableOptions& options) {
  const bool is_of_csv = options.delimiter || options.decimal_comma || options.has_header;
  if (!is_of_csv && !options.encoding) return;
  if (!table.is_engine()) {
    const std::unique_ptr<RecordReader> reader = reader_of(table, options);
    if (reader == nullptr || dynamic_cast<const CsvReader*>(reader.get()) != nullptr) return;
    if (!is_of_csv && dynamic_cast<const ArffReader*>(reader.get()) != nullptr) return;
  }
  throw Error(ErrorKind::kUsage, "data.table",
              fmt::format("{}: is not CSV, so {} nothing about it; leave {} out", table.name(),
                          is_of_csv ? "--delimiter, --decimal-comma, --decimal-point, --header and "
                                      "--no-header say"
                                    : "--encoding says",
                          is_of_csv ? "them" : "it"));
}

}  // namespace equinoise
