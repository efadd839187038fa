// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/counted_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "equinoise/data/schema/count_column.h"

namespace equinoise {

CodeReader::CodeReader(std::string name, const Schema& schema, std::vector<ColumnCoding> codings,
                       int64_t num_units)
    : RecordReader(std::move(name)), codings_(std::move(codings)) {
  decimal_mark_ = schema.layout.decimal_comma ? ',' : '.';
  for (const ColumnCoding& coding : codings_) header_.push_back(coding.column().name);
  header_.push_back(CountColumn::of(schema, num_units).name());
  cells_.resize(header_.size());
  texts_.resize(codings_.size());
}

void CodeReader::show(std::span<const int32_t> codes, int64_t count) {
  for (size_t i = 0; i < codings_.size(); ++i) {
    const ColumnCoding& coding = codings_[i];
    const std::optional<std::string>& cell = coding.cell(codes[i]);
    cells_[i] = cell ? std::string_view(*cell) : std::string_view();
    if (!cell || decimal_mark_ == '.' || !coding.is_numeric() || coding.column().time) continue;
    texts_[i] = *cell;
    std::replace(texts_[i].begin(), texts_[i].end(), '.', decimal_mark_);
    cells_[i] = texts_[i];
  }
  count_ = fmt::format("{}", count);
  cells_.back() = count_;
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
