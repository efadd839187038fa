// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/coded_table.h"

#include <numeric>

#include "equinoise/base/error.h"

namespace equinoise {

CodedColumn::CodedColumn(size_t values) : num_values(values) {
  if (values < 1 || values > 65'536) {
    throw Error(ErrorKind::kUsage, "synth.coded_table",
                "an attribute must have between 1 and 65536 values, got {}", values);
  }
}

CodedTable::CodedTable(const std::vector<size_t>& sizes) {
  columns.reserve(sizes.size());
  for (const size_t size : sizes) columns.emplace_back(size);
}

std::vector<size_t> CodedTable::sizes() const {
  std::vector<size_t> result;
  result.reserve(columns.size());
  for (const CodedColumn& column : columns) result.push_back(column.num_values);
  return result;
}

size_t CodedTable::total_records() const {
  return counts.empty() ? num_records : std::accumulate(counts.begin(), counts.end(), size_t{0});
}

}  // namespace equinoise
