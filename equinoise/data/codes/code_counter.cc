// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/code_counter.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/counted_rows.h"

namespace equinoise {

namespace {

/// The number of rows whose counts take 1 MiB.
constexpr size_t kMaxPossibleRows = size_t{1} << 17;
constexpr size_t kFirstSlots = size_t{1} << 10;

size_t hash_of(std::span<const int32_t> codes) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(codes.data()), codes.size_bytes()});
}

}  // namespace

void check_room(size_t num_rows, size_t num_columns) {
  if (num_rows < static_cast<size_t>(half_of_memory() / CodeCounter::bytes_of_row(num_columns)))
    return;
  throw Error(ErrorKind::kRuntime, "data.engine",
              "more rows differ than half of this machine's memory holds (not private); declare "
              "fewer bins (public_bins), or ignore columns that are not needed (type = "
              "\"ignored\")");
}

void CountedCodes::sort() {
  std::vector<size_t> order = numbers_below(num_rows());
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::lexicographical_compare(row(a).begin(), row(a).end(), row(b).begin(), row(b).end());
  });
  CountedCodes sorted{num_columns, {}, {}};
  sorted.codes.reserve(codes.size());
  sorted.counts.reserve(counts.size());
  for (const size_t i : order) {
    sorted.codes.insert(sorted.codes.end(), row(i).begin(), row(i).end());
    sorted.counts.push_back(counts[i]);
  }
  *this = std::move(sorted);
}

CodeCounter::CodeCounter(const std::vector<ColumnCoding>& codings)
    : CodeCounter(codings, numbers_below(codings.size())) {}

CodeCounter::CodeCounter(const std::vector<ColumnCoding>& codings, std::span<const size_t> columns)
    : columns_(columns.begin(), columns.end()), codes_(columns.size()) {
  rows_.num_columns = columns.size();
  size_t num_possible = 1;
  for (const size_t column : columns) {
    sizes_.push_back(codings[column].num_codes());
    num_possible = std::min(num_possible, kMaxPossibleRows) * sizes_.back();
  }
  if (num_possible <= kMaxPossibleRows) {
    counts_.resize(num_possible);
  } else {
    slots_.resize(kFirstSlots);
  }
}

int64_t CodeCounter::bytes_of_row(size_t num_columns) {
  // Codes and counts twice (while they are sorted), two slots, and the cells of the record.
  return static_cast<int64_t>(num_columns) * (2 * 4 + 9) + 2 * 8 + 2 * 4 + 5;
}

void CodeCounter::add(std::span<const int32_t> codes, int64_t count) {
  if (!counts_.empty()) {
    size_t place = 0;
    for (size_t i = 0; i < columns_.size(); ++i)
      place = place * sizes_[i] + static_cast<size_t>(codes[columns_[i]] - CellCode::kAside);
    __builtin_prefetch(&counts_[place], 1);
    pending_[num_pending_++] = {place, count};
    if (num_pending_ == pending_.size()) add_pending();
    return;
  }
  for (size_t i = 0; i < columns_.size(); ++i) codes_[i] = codes[columns_[i]];
  uint32_t& slot = slot_of(codes_);
  if (slot > 0) {
    rows_.counts[slot - 1] += count;
    return;
  }
  append(rows_.codes, codes_);
  rows_.counts.push_back(count);
  slot = static_cast<uint32_t>(num_kept());
  if (2 * num_kept() > slots_.size()) grow();
}

void CodeCounter::add_pending() {
  for (size_t i = 0; i < num_pending_; ++i) counts_[pending_[i].place] += pending_[i].count;
  num_pending_ = 0;
}

CountedCodes CodeCounter::take() {
  add_pending();
  CountedCodes rows = std::move(rows_);
  rows_ = {columns_.size(), {}, {}};
  std::ranges::fill(slots_, 0);
  for (size_t place = 0; place < counts_.size(); ++place) {
    const int64_t count = std::exchange(counts_[place], 0);
    if (count == 0) continue;
    rows.counts.push_back(count);
    rows.codes.resize(rows.codes.size() + sizes_.size());
    size_t left = place;
    for (size_t i = 1; i <= sizes_.size(); ++i) {
      const size_t size = sizes_[sizes_.size() - i];
      rows.codes[rows.codes.size() - i] = static_cast<int32_t>(left % size) + CellCode::kAside;
      left /= size;
    }
  }
  return rows;
}

uint32_t& CodeCounter::slot_of(std::span<const int32_t> codes) {
  for (size_t slot = hash_of(codes);; ++slot) {
    uint32_t& found = slots_[slot & (slots_.size() - 1)];
    if (found == 0) return found;
    const std::span<const int32_t> row = rows_.row(found - 1);
    if (std::equal(row.begin(), row.end(), codes.begin())) return found;
  }
}

void CodeCounter::grow() {
  constexpr size_t kMaxSlots = size_t{1} << 32;
  // Check the room for as many rows again, which may be added before the next growth.
  check_room(slots_.size() >= kMaxSlots ? SIZE_MAX : 2 * num_kept(), sizes_.size());
  slots_.assign(2 * slots_.size(), 0);
  for (size_t row = 0; row < num_kept(); ++row)
    slot_of(rows_.row(row)) = static_cast<uint32_t>(row + 1);
}

}  // namespace equinoise
