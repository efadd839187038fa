// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/cell_coder.h"

#include <cmath>
#include <optional>

#include "equinoise/data/column_sinks.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// The sink that reads the cells of the column in tables.
struct CellCoder::Sink {
  std::optional<NumericSink> numbers;
  std::optional<CategoricalSink> categories;
};

CellCoder::CellCoder(const Schema& schema, const ColumnCoding& coding, char decimal_mark)
    : coding_(&coding), decimal_mark_(decimal_mark), sink_(std::make_unique<Sink>()) {
  constexpr size_t kPosition = 0;  // no record is read
  if (coding.is_numeric()) {
    sink_->numbers.emplace(schema, coding.column(), kPosition, false);
  } else {
    sink_->categories.emplace(schema, coding.column(), kPosition, false);
  }
}

CellCoder::~CellCoder() = default;
CellCoder::CellCoder(CellCoder&&) noexcept = default;

int32_t CellCoder::code_of(std::string_view cell) {
  if (RecordReader::is_null(cell)) return CellCode::kMissing;
  if (sink_->categories) return sink_->categories->find_code(cell, decimal_mark_);
  NumericSink::Reading read;
  sink_->numbers->read_text(cell, decimal_mark_, read);
  if (read.is_missing) return CellCode::kMissing;
  if (!read.value) return CellCode::kNoNumber;
  const ColumnSchema& column = coding_->column();
  if (*read.value < column.lower) return CellCode::kBelow;
  if (*read.value > column.upper) return CellCode::kAbove;
  if (column.whole && *read.value != std::floor(*read.value)) return CellCode::kNoNumber;
  return static_cast<int32_t>(coding_->bins().bin_of(*read.value));
}

}  // namespace equinoise
