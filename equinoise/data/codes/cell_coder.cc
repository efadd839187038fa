// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/cell_coder.h"

#include <cmath>
#include <utility>

#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/table.h"

namespace equinoise {

namespace {

/// A schema of the column alone, with rules that keep apart the outcomes of its cells.
Schema schema_of_cell(const Schema& schema, const ColumnSchema& column) {
  Schema single;
  single.missing_values = schema.missing_values;
  single.columns = {column};
  ColumnSchema& only = single.columns.front();
  only.missing = MissingPolicy::kDrop;
  only.malformed = MalformedPolicy::kDrop;
  only.unknown = UnknownPolicy::kDrop;
  return single;
}

/// A record reader that gives one cell after another.
class CellRecords : public RecordReader {
 public:
  CellRecords(const std::string& column, char decimal_mark) : RecordReader("") {
    header_ = {column};
    decimal_mark_ = decimal_mark;
    cells_.resize(1);
  }

  void set(std::string_view cell) { cells_[0] = cell; }
  bool next() override { return true; }
};

}  // namespace

struct CellCoder::Reading {
  Reading(const Schema& table_schema, const ColumnSchema& column, char decimal_mark)
      : schema(schema_of_cell(table_schema, column)),
        records(column.name, decimal_mark),
        blocks(records, schema, TableUse::kOther) {}

  Schema schema;
  CellRecords records;
  TableBlocks blocks;
  ColumnIngestCounts counts;  ///< of the cells so far
};

CellCoder::CellCoder(const Schema& schema, const ColumnCoding& coding, char decimal_mark)
    : coding_(&coding),
      reading_(std::make_unique<Reading>(schema, coding.column(), decimal_mark)) {}

CellCoder::~CellCoder() = default;
CellCoder::CellCoder(CellCoder&&) noexcept = default;

int32_t CellCoder::code_of(std::string_view cell) {
  constexpr size_t kMaxKnown = size_t{1} << 16;
  if (RecordReader::is_null(cell)) return CellCode::kMissing;
  std::string text(cell);
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  const int32_t code = read(cell);
  if (known_.size() == kMaxKnown) known_.clear();
  known_.emplace(std::move(text), code);
  return code;
}

int32_t CellCoder::read(std::string_view cell) {
  reading_->records.set(cell);
  const Dataset dataset = reading_->blocks.next(1);
  const ColumnIngestCounts before = std::exchange(reading_->counts, dataset.counts.front());
  const ColumnIngestCounts& after = reading_->counts;
  if (after.missing > before.missing) return CellCode::kMissing;
  if (after.unknown > before.unknown) return CellCode::kUnlisted;
  if (after.malformed > before.malformed) return CellCode::kNoNumber;
  if (!coding_->is_numeric()) return dataset.categorical.front().codes.front();
  const double value = dataset.numeric.front().values.front();
  if (after.clamped > before.clamped)
    return value == coding_->column().lower ? CellCode::kBelow : CellCode::kAbove;
  if (coding_->column().whole && value != std::floor(value)) return CellCode::kNoNumber;
  return static_cast<int32_t>(coding_->bins().bin_of(value));
}

}  // namespace equinoise
