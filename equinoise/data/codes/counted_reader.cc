// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/counted_reader.h"

#include <algorithm>
#include <utility>

#include "equinoise/data/schema/count_column.h"

namespace equinoise {

CodeReader::CodeReader(std::string name, const Schema& schema, std::vector<ColumnCoding> codings,
                       int64_t num_units)
    : RecordReader(std::move(name)), codings_(std::move(codings)) {
  decimal_mark_ = schema.layout.decimal_comma ? ',' : '.';
  for (const ColumnCoding& coding : codings_) {
    header_.push_back(coding.column().name);
    const bool has_decimals = coding.is_numeric() && !coding.column().time;
    std::vector<Cell>& cells = cells_of_codes_.emplace_back();
    for (size_t place = 0; place < coding.num_codes(); ++place) {
      const auto& text = coding.cell(static_cast<int32_t>(place) + CellCode::kAside);
      if (!text) {
        cells.emplace_back();
      } else if (has_decimals && decimal_mark_ != '.') {
        std::string& changed = texts_.emplace_back(*text);
        std::ranges::replace(changed, '.', decimal_mark_);
        cells.push_back(Cell(changed).as_entry(place));
      } else {
        cells.push_back(Cell(*text).as_entry(place));
      }
    }
  }
  header_.push_back(CountColumn::of(schema, num_units).name());
  cells_.resize(header_.size());
}

void CodeReader::show(std::span<const int32_t> codes, int64_t count) {
  for (size_t i = 0; i < codings_.size(); ++i)
    cells_[i] = cells_of_codes_[i][static_cast<size_t>(codes[i] - CellCode::kAside)];
  cells_.back() = Cell::of(count);
  ++row_;
}

CountedReader::CountedReader(std::string name, const Schema& schema,
                             std::vector<ColumnCoding> codings, CountedTable table)
    : CodeReader(std::move(name), schema, std::move(codings), table.num_units),
      table_(std::move(table)) {}

bool CountedReader::next() {
  const auto row = static_cast<size_t>(row_);
  if (row == table_.rows.num_rows()) return false;
  show(table_.rows.row(row), table_.rows.counts[row]);
  return true;
}

}  // namespace equinoise
