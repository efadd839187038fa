// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/counted_rows.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {

namespace {

/// Calls `visit` with each list of a dataset that has an entry for each of its rows.
template <typename AnyDataset, typename Visit>
void visit_lists(AnyDataset& dataset, const Visit& visit) {
  for (auto& column : dataset.numeric) {
    visit(column.values);
    visit(column.missing);
    visit(column.dropped);
  }
  for (auto& column : dataset.categorical) {
    visit(column.codes);
    visit(column.dropped);
  }
  visit(dataset.contributes);
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
  int64_t bytes_of_row = 0;
  visit_lists(dataset, [&](const auto& values) {
    if (!values.empty()) bytes_of_row += static_cast<int64_t>(sizeof(values[0]));
  });
  return bytes_of_row * dataset.total_records();
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

void take_rows(std::span<const uint32_t> rows, Dataset& dataset) {
  visit_lists(dataset, [&](auto& values) {
    if (values.empty()) return;
    std::decay_t<decltype(values)> taken(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) taken[i] = values[rows[i]];
    values = std::move(taken);
  });
  dataset.num_records = std::ssize(rows);
  dataset.num_dropped = std::ranges::count(dataset.contributes, 0);
}

void expand_rows(Dataset& dataset) {
  if (dataset.row_counts.empty()) return;
  // Column by column, so that no list of all records is kept besides.
  const int64_t num_records = dataset.total_records();
  const std::vector<uint32_t> counts = std::exchange(dataset.row_counts, {});
  visit_lists(dataset, [&](auto& values) {
    if (values.empty()) return;
    std::decay_t<decltype(values)> repeated;
    repeated.reserve(static_cast<size_t>(num_records));
    for (size_t row = 0; row < counts.size(); ++row)
      repeated.insert(repeated.end(), counts[row], values[row]);
    values = std::move(repeated);
  });
  dataset.num_records = num_records;
  dataset.num_dropped = std::ranges::count(dataset.contributes, 0);
}

}  // namespace equinoise
