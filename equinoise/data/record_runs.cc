// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/record_runs.h"

namespace equinoise {

RecordRuns::RecordRuns(const EncodedTable& table) : table_(table) {
  if (table.rows.empty()) return;
  for (size_t record = 0; record < table.rows.size(); ++record) {
    if (record == 0 || !are_equal(record - 1, record))
      begin_.push_back(static_cast<uint32_t>(record));
  }
  begin_.push_back(static_cast<uint32_t>(table.rows.size()));
}

size_t RecordRuns::size() const {
  return begin_.empty() ? static_cast<size_t>(table_.num_records) : begin_.size() - 1;
}

bool RecordRuns::are_equal(size_t a, size_t b) const {
  const auto agree = [&](const auto& values) { return values.empty() || values[a] == values[b]; };
  return table_.rows[a] == table_.rows[b] && agree(table_.contributes) && agree(table_.labels) &&
         agree(table_.targets) && agree(table_.groups);
}

CountedRecords RecordRuns::merge(std::span<const uint32_t> batch, Memory& memory) const {
  if (begin_.empty()) return {batch};
  memory.records.clear();
  memory.counts.clear();
  if (std::ssize(batch) == table_.num_records) {
    memory.records.assign(begin_.begin(), begin_.end() - 1);
    for (size_t run = 0; run < size(); ++run)
      memory.counts.push_back(static_cast<uint32_t>(count(run)));
  } else {
    for (const uint32_t record : batch) {
      if (!memory.records.empty() && are_equal(memory.records.back(), record)) {
        ++memory.counts.back();
      } else {
        memory.records.push_back(record);
        memory.counts.push_back(1);
      }
    }
  }
  if (2 * memory.records.size() > batch.size()) return {batch};
  return {memory.records, memory.counts};
}

}  // namespace equinoise
