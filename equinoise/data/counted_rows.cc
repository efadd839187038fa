// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/counted_rows.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {

namespace {

template <typename T>
void repeat_each(std::span<const uint32_t> counts, size_t total, std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<T> repeated;
  repeated.reserve(total);
  for (size_t row = 0; row < counts.size(); ++row)
    repeated.insert(repeated.end(), counts[row], values[row]);
  values = std::move(repeated);
}

template <typename T>
int64_t bytes_of_row(const std::vector<T>& values) {
  return values.empty() ? 0 : sizeof(T);
}

}  // namespace

std::optional<int64_t> parse_count(std::string_view cell, char decimal_mark) {
  cell = without_blanks_around(cell);
  if (cell.empty() || cell.front() == '-') return std::nullopt;
  int64_t count = 0;
  const char* end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, count);
  if (error != std::errc()) return std::nullopt;
  cell.remove_prefix(static_cast<size_t>(rest - cell.data()));
  if (cell.empty()) return count;
  const bool is_whole = cell.size() > 1 && (cell.front() == '.' || cell.front() == decimal_mark) &&
                        cell.find_first_not_of('0', 1) == std::string_view::npos;
  return is_whole ? std::optional(count) : std::nullopt;
}

int64_t expanded_bytes(const Dataset& dataset) {
  int64_t of_row = sizeof(dataset.contributes[0]);
  for (const NumericColumn& column : dataset.numeric)
    of_row +=
        bytes_of_row(column.values) + bytes_of_row(column.missing) + bytes_of_row(column.dropped);
  for (const CategoricalColumn& column : dataset.categorical)
    of_row += bytes_of_row(column.codes) + bytes_of_row(column.dropped);
  return of_row * dataset.total_records();
}

int64_t half_of_memory() { return int64_t{sysconf(_SC_PHYS_PAGES)} / 2 * sysconf(_SC_PAGESIZE); }

std::string why_no_room(int64_t bytes) {
  const int64_t most = half_of_memory();
  if (bytes <= most) return "";
  return fmt::format("takes {:.3g} GB, more than half of this machine's memory ({:.3g} GB)",
                     static_cast<double>(bytes) / 1e9, static_cast<double>(most) / 1e9);
}

void require_records(const Dataset& dataset, std::string_view name, std::string_view task,
                     int64_t bytes_of_record) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, "data.counted_rows", "{}: {}", name, problem);
  };
  if (dataset.num_counted_units) {
    refuse(
        fmt::format("has counted rows, which do not say whose they are, as {} must know; give "
                    "a file of all records",
                    task));
  }
  if (dataset.row_counts.empty()) return;
  const std::string problem = why_no_room(bytes_of_record * dataset.total_records());
  if (problem.empty()) return;
  refuse(
      fmt::format("has counted rows that stand for {} records, and {}, which keeps {} bytes for "
                  "each, {}; use a machine with more, or a table of fewer records",
                  dataset.total_records(), task, bytes_of_record, problem));
}

void expand_rows(Dataset& dataset) {
  const int64_t num_records = dataset.total_records();
  const std::vector<uint32_t> counts = std::exchange(dataset.row_counts, {});
  const auto repeat = [&](auto& values) {
    repeat_each(std::span(counts), static_cast<size_t>(num_records), values);
  };
  if (counts.empty()) return;
  for (NumericColumn& column : dataset.numeric) {
    repeat(column.values);
    repeat(column.missing);
    repeat(column.dropped);
  }
  for (CategoricalColumn& column : dataset.categorical) {
    repeat(column.codes);
    repeat(column.dropped);
  }
  repeat(dataset.contributes);
  dataset.num_records = num_records;
}

}  // namespace equinoise
